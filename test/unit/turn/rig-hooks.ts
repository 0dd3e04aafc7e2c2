import { type Hook, HookManager, type HookPort, nativeHook, type StreamEvent } from '../../../src/agent/hooks/index.ts';
import type { HookEvent, HookOutcome, HookPayload } from '../../../src/api.ts';

type Payload = Readonly<Record<string, unknown>>;
type Handler = (payload: Payload) => HookOutcome | Promise<HookOutcome>;

/** The real dispatcher, with one handler for each event beside whatever a test registers, and a record of what hooks were told. */
export class RigHooks implements HookPort {
  readonly fired: { event: HookEvent; payload: Payload }[] = [];
  readonly problems: string[] = [];
  readonly manager = new HookManager({
    log: { debug() {}, info() {}, warn() {}, error: (message) => console.error(message) },
    clock: {
      now: Date.now,
      after: (ms, callback) => {
        const timer = setTimeout(callback, ms);
        return () => clearTimeout(timer);
      },
    },
    report: ({ words }) => this.problems.push(words),
  });

  /** The handler of an event, as another extension would register it. */
  set(event: HookEvent, handle: Handler): void {
    this.manager.replace(event, [
      nativeHook({
        id: event,
        event,
        name: 'rig',
        source: { is: 'extension' },
        handle: (payload) => {
          this.fired.push({ event, payload: { ...payload } });
          return handle({ ...payload });
        },
      }),
    ]);
  }

  /** A hook as it comes from a file of another system. */
  register(hook: Partial<Hook> & Pick<Hook, 'event' | 'run'>): void {
    this.manager.register({
      id: crypto.randomUUID(),
      declaredAs: hook.event,
      dialect: 'claude',
      source: { is: 'file', scope: 'workspace', path: '/hooks.json' },
      kind: 'command',
      name: 'a file',
      timeout: 10_000,
      failClosed: false,
      answers: true,
      matches: () => true,
      ...hook,
      run: (payload, signal) => {
        this.fired.push({ event: hook.event, payload: { ...payload } });
        return hook.run(payload, signal);
      },
    });
  }

  delete(event: HookEvent): void {
    this.manager.replace(event, []);
  }

  clear(): void {
    for (const { id } of this.manager.list()) this.manager.replace(id, []);
  }

  has(event: HookEvent): boolean {
    return this.manager.has(event);
  }

  answers(...asked: Parameters<HookPort['answers']>): boolean {
    return this.manager.answers(...asked);
  }

  fire: HookPort['fire'] = (...asked) => this.manager.fire(...asked);

  ask: HookPort['ask'] = (...asked) => this.manager.ask(...asked);

  stream<E extends StreamEvent>(event: E, payload: HookPayload<E>): void {
    this.manager.stream(event, payload);
  }

  waitingFor(sessionId: string): readonly string[] {
    return this.manager.waitingFor(sessionId);
  }
}
