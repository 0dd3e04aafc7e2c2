import type { Attachment, InputOptions, Item, Receipt, SessionStateName } from '../../api.ts';
import { newestRow, StorageError } from '../session/index.ts';
import type { ControlLoop } from './control-loop.ts';
import { keepAttachments } from './kept-attachments.ts';
import { resumeOf } from './resume.ts';
import type { AgentPorts } from './types.ts';

/** The verbs of a session: the one way in for the chat, the commands and the API. What each does is `control/`'s to say. */
export abstract class SessionVerbs {
  abstract readonly id: string;
  protected abstract readonly ports: AgentPorts;
  protected abstract readonly loop: ControlLoop;
  /** False when the model of the running turn is known not to see images. */
  protected abstract readonly modelSees: boolean;

  abstract readonly state: SessionStateName;
  /** Why nothing can be said here, or undefined. */
  abstract readonly readOnly: string | undefined;
  abstract notice(kind: string, text: string): void;
  abstract item(id: string): Item | undefined;

  send(text: string, options?: InputOptions): Receipt {
    return this.submit('send', text, 'api', options);
  }

  steer(text: string, options?: InputOptions): Receipt {
    return this.submit('steer', text, 'api', options);
  }

  redirect(text: string, options?: InputOptions): Receipt {
    return this.submit('redirect', text, 'api', options);
  }

  queue(text: string, options?: InputOptions): Receipt {
    return this.submit('queue', text, 'api', options);
  }

  stopAndSend(text: string, options?: InputOptions): Receipt {
    return this.submit('stopAndSend', text, 'api', options);
  }

  /**
   * A verb that carries text, from the chat, a command or the API.
   *
   * @param options.providerText what the model is given in the place of `text`
   * @throws NotAnImage
   */
  submit(
    verb: 'send' | 'steer' | 'redirect' | 'queue' | 'stopAndSend',
    text: string,
    origin: Item['origin'],
    options: InputOptions & { readonly providerText?: string } = {},
  ): Receipt {
    const { busyInput, queueOnStop: onQueue } = this.ports.settings();
    const id = clientId(options.id);
    let attachments: readonly Attachment[];
    try {
      attachments = keepAttachments(this.ports.store.images, this.id, options);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      return this.loop.refuse(id, verb, error);
    }
    const seesImages = this.#sees(attachments);
    const { providerText } = options;
    const carried = {
      id,
      text,
      attachments,
      origin,
      seesImages,
      ...(providerText === undefined ? {} : { providerText }),
    };
    if (verb === 'send') return this.loop.verb({ type: 'send', busyInput, ...carried });
    if (verb === 'stopAndSend') return this.loop.verb({ type: verb, onQueue, reason: 'stop_and_send', ...carried });
    return this.loop.verb({ type: verb, ...carried });
  }

  /**
   * @param options.reason which surface asked (`stop_button`, `stop_key`, …); `api` by default
   * @param options.by `user`, or the name of a system producer
   */
  stop(options: { readonly reason?: string; readonly by?: string } = {}): Receipt {
    const { reason = 'api', by = 'user' } = options;
    return this.loop.verb({ type: 'stop', id: newId(), by, reason, onQueue: this.ports.settings().queueOnStop });
  }

  stopAfterStep(reason = 'api'): Receipt {
    const onQueue = this.ports.settings().queueOnStop;
    return this.loop.verb({ type: 'stopAfterStep', id: newId(), reason, onQueue });
  }

  /** Sends the text that began the last turn once more, as a turn of its own. Undefined when there was none. */
  retry(origin: Item['origin'] = 'api'): Receipt | undefined {
    const row = newestRow(
      (range) => this.ports.store.rows(this.id, range),
      ({ kind }) => kind === 'message',
    );
    if (!row) return undefined;
    const attachments = row.parts.flatMap((part): Attachment[] =>
      part.type === 'image' ? [{ kind: 'image', name: part.name ?? '', mime: part.mime, ref: part.ref }] : [],
    );
    const [first] = row.itemIds ?? [];
    const providerText = first === undefined ? undefined : this.item(first)?.providerText;
    const options = { attachments, ...(providerText === undefined ? {} : { providerText }) };
    return this.submit('queue', row.displayText ?? '', origin, options);
  }

  /**
   * Goes on with a turn that was interrupted by a reload or a crash, where `midcourse.resume` is `auto` and it may go on
   * by itself (`resume.ts`). Called when a window opens the session that it showed last.
   *
   * @param words what the model is asked, and what the user is told
   */
  resumeByItself(words: { readonly text: string; readonly notice: string }): Receipt | undefined {
    const { store, clock } = this.ports;
    if (this.ports.settings().resume !== 'auto' || this.state !== 'idle' || this.readOnly !== undefined)
      return undefined;
    const { id } = this;
    const resume = resumeOf(
      { turns: store.turns(id), rows: () => store.rows(id), items: () => store.items(id) },
      clock.now(),
    );
    if (!resume) return undefined;
    this.notice('resumed', words.notice);
    return this.submit('queue', words.text, 'command', { id: resume.itemId });
  }

  withdraw(id: string): Receipt {
    return this.loop.verb({ type: 'withdraw', id });
  }

  edit(id: string, text: string, revision: number, providerText?: string): Receipt {
    return this.loop.verb({
      type: 'edit',
      id,
      text,
      revision,
      ...(providerText === undefined ? {} : { providerText }),
    });
  }

  move(id: string, before?: string): Receipt {
    return this.loop.verb({ type: 'move', id, before });
  }

  sendNow(id: string): Receipt {
    return this.loop.verb({ type: 'sendNow', id, seesImages: this.#seesItem(id) });
  }

  /** Makes a waiting steer or queue entry a redirect. */
  redirectNow(id: string): Receipt {
    return this.loop.verb({ type: 'redirectNow', id, seesImages: this.#seesItem(id) });
  }

  resumeQueue(): Receipt {
    return this.loop.verb({ type: 'resumeQueue', id: newId() });
  }

  clearQueue(): Receipt {
    return this.loop.verb({ type: 'clearQueue', id: newId() });
  }

  /** A view has taken a returned text into its composer. */
  acknowledge(id: string): void {
    this.loop.dispatch({ type: 'acknowledge', id });
  }

  #seesItem(id: string): boolean {
    return this.#sees(this.loop.state.items.find((item) => item.id === id)?.attachments ?? []);
  }

  #sees(attachments: readonly Attachment[]): boolean {
    return this.modelSees || attachments.every(({ kind }) => kind !== 'image');
  }
}

function clientId(id: string | undefined): string {
  return id === undefined || id === '' ? newId() : id.slice(0, 128);
}

function newId(): string {
  return crypto.randomUUID();
}
