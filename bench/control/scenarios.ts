import type { LiveSession } from '../../src/agent/turn/index.ts';
import { short, unfinished } from '../answers.ts';
import { defined } from '../rig.ts';
import { next, now, type Stage } from './stage.ts';
import { TreePipe } from './tree-pipe.ts';

/** Milliseconds by figure. */
export type Sample = Readonly<Record<string, number>>;

export interface Scenario {
  readonly name: string;
  /** What it measures, and the p50 in milliseconds that we aim at. */
  readonly figures: Readonly<Record<string, number | undefined>>;
  /** Runs at each length, where not as many as wanted. */
  readonly atMost?: number;
  /** Plays it once in an idle session and leaves an idle session. */
  run(stage: Stage, session: LiveSession): Promise<Sample>;
}

const answering: Scenario = {
  name: 'stop, while the model answers',
  figures: { 'socket closed': 2, 'composer usable': undefined, 'own end event': 10 },
  async run({ server }, session) {
    await server.fallback(unfinished(''));
    const shown = next(session, 'delta');
    session.send('Work');
    await shown;
    const usable = composerUsable(session);
    const ended = next(session, 'turn.ended').then(now);
    const stopped = now();
    session.stop();
    const sample = { 'composer usable': (await usable) - stopped, 'own end event': (await ended) - stopped };
    const { closedAt } = await server.times(0, 'closed');
    return { ...sample, 'socket closed': defined(closedAt, 'the end of the request') - stopped };
  },
};

const STANDING = 'stand';

const steered: Scenario = {
  name: 'steer, as the running tool ends',
  figures: { 'request begins at the server': undefined, 'in the next request, received whole': undefined },
  async run({ server, tools }, session) {
    const running = Promise.withResolvers<void>();
    const over = Promise.withResolvers<string>();
    const invoke = () => {
      running.resolve();
      return over.promise;
    };
    const inputSchema = { type: 'object', properties: {} };
    using _tool = { [Symbol.dispose]: register() };
    function register(): () => void {
      const registered = tools.register({
        name: STANDING,
        description: 'Runs on.',
        inputSchema,
        readOnly: true,
        invoke,
      });
      return () => registered.dispose();
    }
    await server.fallback(short);
    await server.script({ steps: [{ call: { name: STANDING, input: {} } }] });
    session.send('Work');
    await running.promise;
    const sent = now();
    session.steer('By the way');
    over.resolve('Done.');
    const { arrivedAt, receivedAt } = await server.times(1);
    await session.settled();
    return {
      'request begins at the server': arrivedAt - sent,
      'in the next request, received whole': receivedAt - sent,
    };
  },
};

const redirected: Scenario = {
  name: 'redirect, while the model answers',
  figures: {
    'new request begins at the server': undefined,
    'new request received whole': undefined,
    'old socket closed': undefined,
  },
  async run({ server }, session) {
    await server.fallback(short);
    await server.script(unfinished(''));
    const shown = next(session, 'delta');
    session.send('Work');
    await shown;
    const sent = now();
    session.redirect('Do that instead');
    const { arrivedAt, receivedAt } = await server.times(1);
    const { closedAt } = await server.times(0, 'closed');
    await session.settled();
    return {
      'new request begins at the server': arrivedAt - sent,
      'new request received whole': receivedAt - sent,
      'old socket closed': defined(closedAt, 'the end of the first request') - sent,
    };
  },
};

/** A shell with two shells in it, each with a program that it waits for. */
const WELL_BEHAVED = ['one', 'two']
  .map((name) => `sh -c 'sh -c "echo ready ${name} >&2; exec sleep 60"; :'`)
  .join(' | ');
/** Two children that left the session, one of them in a group of its own, and a shell: all deaf to both signals. */
const DEAF = [
  "trap '' INT TERM",
  "setsid sh -c 'while :; do sleep 1; done' &",
  'setsid sh -c \'sh -c "while :; do sleep 1; done" & wait\' &',
  'echo ready one',
  'echo ready two',
  'while :; do sleep 1; done',
].join('\n');

function commandStopped(name: string, command: string, aims: { gone: number; ended: number | undefined }): Scenario {
  return {
    name,
    figures: { 'composer usable': undefined, 'process tree gone': aims.gone, 'own end event': aims.ended },
    async run({ server, folder }, session) {
      const pipe = new TreePipe(folder);
      const input = { command: `${pipe.watched}\n${command}` };
      await server.fallback({ steps: [{ call: { name: 'terminal', input } }] });
      const ready = Promise.all(
        ['one', 'two'].map((name) => next(session, 'tool', (tool) => tool.output?.includes(`ready ${name}`) ?? false)),
      );
      session.send('Run it');
      await ready;
      const gone = pipe.gone();
      const usable = composerUsable(session);
      const ended = next(session, 'turn.ended').then(({ result }) => ({ at: now(), result, lives: pipe.lives }));
      const stopped = now();
      session.stop();
      const { at, result, lives } = await ended;
      if (lives || result.survivors.length > 0) {
        throw new Error(`The turn ended before its processes: ${JSON.stringify(result.survivors)}`);
      }
      return {
        'composer usable': (await usable) - stopped,
        'process tree gone': (await gone) - stopped,
        'own end event': at - stopped,
      };
    },
  };
}

/** When the page has heard that the turn is over or ending: it then takes text as a message of its own. */
async function composerUsable(session: LiveSession): Promise<number> {
  await next(session, 'state', ({ state }) => state === 'stopping' || state === 'idle');
  return now();
}

export const scenarios: readonly Scenario[] = [
  answering,
  steered,
  redirected,
  commandStopped('stop, while a command runs (a well-behaved tree)', WELL_BEHAVED, { gone: 15, ended: undefined }),
  {
    ...commandStopped('stop, while a command runs (deaf to INT and TERM, with setsid children)', DEAF, {
      gone: 1600,
      ended: undefined,
    }),
    atMost: 20,
  },
];
