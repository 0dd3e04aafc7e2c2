/** The page's store: one signal of state, the user's draft, and what the user can do. */

import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Attachment, Choice, Item, Receipt } from '../src/api.ts';
import { Debounce } from '../src/debounce.ts';
import type { Snapshot, ToView, VerbCall } from '../src/protocol/index.ts';
import { type Host, HostError } from './host.ts';
import { DraftImages } from './images/draft-images.ts';
import { cautiousLimits } from './images/fit.ts';
import { KeptImages } from './images/kept-images.ts';
import { t } from './l10n.ts';
import { PageFocus } from './page-focus.ts';
import { announcement } from './state/announcements.ts';
import { type ChatState, initialState, type QuietLine, type TextVerb } from './state/chat-state.ts';
import { enterAction } from './state/composer-action.ts';
import { browse, noHistory, remember } from './state/history.ts';
import { sendOptimistically, takeBack, takeReceipt } from './state/outgoing.ts';
import { addOlder, reduce } from './state/reduce.ts';
import { isBuiltIn } from './state/slash.ts';
import { typedSince } from './state/typed-since.ts';

/** Rows that scrolling up asks for at once. */
const olderRows = 200;
/** When the draft is told to the host (ms): a reload loses no more than what was typed since. */
const draftTimes = { pause: 300, longest: 500 };
/** The editor asks for a draft that one of its chords sends within this long, ms; after that the chord had another meaning. */
const chordPatience = 2_000;

export class Chat {
  readonly host: Host;
  readonly draft = signal('');
  /** Images of the draft. */
  readonly images: DraftImages;
  /** Images that the host keeps. */
  readonly kept: KeptImages;
  readonly announced = signal('');
  readonly help = signal(false);
  readonly focus = new PageFocus(document);
  /** Counts up when something asks for the composer's focus. */
  readonly composerFocus = signal(0);
  readonly #published = signal<ChatState>(initialState);
  /** Parts that a component reads only under a condition, which a hook could not. */
  readonly live = this.#slice((state) => state.live);
  readonly approvals = this.#slice((state) => state.approvals);
  readonly questions = this.#slice((state) => state.questions);
  /** May be ahead of what is published by less than a frame of streamed text. */
  #state: ChatState = initialState;
  #frame: number | undefined;
  #history = noHistory;
  #loadingOlder = false;
  /** Drafts as they were when a chord of the editor was pressed that may send them. */
  #noted: readonly { readonly text: string; readonly at: number }[] = [];
  readonly #draftTold = new Debounce(draftTimes, () => this.#sendDraft());

  constructor(host: Host) {
    this.host = host;
    this.kept = new KeptImages(host);
    this.images = new DraftImages({
      host,
      limits: () => this.#state.model.images ?? cautiousLimits,
      changed: () => this.#imagesChanged(),
      say: (problem) => this.#say(problem, 'error'),
    });
    effect(() => this.#takeReturned(this.#published.value));
  }

  get state(): ReadonlySignal<ChatState> {
    return this.#published;
  }

  /** A part of the state that wakes its readers only when it has really changed. */
  #slice<T>(select: (state: ChatState) => T): ReadonlySignal<T> {
    return computed(() => select(this.#published.value));
  }

  receive(message: ToView): void {
    const before = this.#state;
    // The host went to another session by itself: what was typed just now belongs to the one that is left.
    if (message.type === 'snapshot' && message.session.id !== before.session.id) {
      if (before.session.id !== '') this.tellDraft();
      this.#noted = [];
    }
    const after = reduce(before, message);
    switch (message.type) {
      case 'snapshot':
        if (before.session.id !== after.session.id) this.#takeDraft(message, before.session.id === '');
        break;
      case 'submit':
        this.#submitNoted(message.as);
        break;
      case 'focusComposer':
        this.composerFocus.value++;
        break;
      case 'showHelp':
        this.help.value = true;
        break;
      case 'insertDraft':
        this.insertDraft(message.text);
        break;
    }
    if (after.outOfStep && !before.outOfStep) this.host.notify({ type: 'resync', have: after.seq });
    if (onlyGrows(message, before)) this.#publishNextFrame(after);
    else this.#publish(after);
  }

  /** Sends the draft as `as`, or as Enter would. */
  submit(as?: TextVerb): void {
    this.#noted = [];
    this.#submitDraft(this.draft.value, as);
  }

  /** For a chord that the editor handles: what is typed until it asks for the draft is not part of it. */
  noteDraft(): void {
    this.#noted = [...this.#noted, { text: this.draft.value, at: performance.now() }];
  }

  #submitNoted(as: TextVerb | undefined): void {
    const now = performance.now();
    const [noted, ...later] = this.#noted.filter(({ at }) => now - at < chordPatience);
    if (!noted) {
      this.submit(as);
      return;
    }
    if (this.#submitDraft(noted.text, as)) {
      this.#noted = later.map(({ text, at }) => ({ text: typedSince(noted.text, text), at }));
    } else {
      this.#noted = later;
    }
  }

  /** Sends `draft` and leaves in the composer what has been typed since; false when there was nothing to send. */
  #submitDraft(draft: string, as: TextVerb | undefined): boolean {
    const text = draft.trim();
    const action = enterAction(this.#state);
    if ((text === '' && this.images.isEmpty) || action.does === 'nothing') return false;
    if (this.images.arePreparing) {
      this.#say(t('An image is still being prepared. Send again in a moment.'));
      return false;
    }
    const rest = typedSince(draft, this.draft.value);
    if (action.does === 'verb' && isBuiltIn(this.#state.slashCommands ?? [], text)) {
      this.runSlashCommand(text, rest);
      return true;
    }
    if (text !== '') this.#history = remember(this.#history, text);
    if (as === undefined || as === 'send') {
      if (action.does === 'answer') {
        this.setDraft(rest);
        this.answerQuestion(action.questionId, text, text);
        return true;
      }
      this.send(text, action.verb, this.images.take());
    } else {
      this.send(text, as, this.images.take());
    }
    this.setDraft(rest);
    return true;
  }

  /** A command of the editor: nothing is sent. @param rest what has been typed since */
  runSlashCommand(text: string, rest = ''): void {
    this.#history = remember(this.#history, text);
    this.host.notify({ type: 'runSlashCommand', text });
    this.setDraft(rest);
  }

  send(text: string, verb: TextVerb, attachments: readonly Attachment[] = []): void {
    const id = crypto.randomUUID();
    this.#publish(sendOptimistically(this.#state, id, text, verb, attachments));
    this.#settle(this.#verb({ verb, id, text, attachments }), (problem) => this.#returnDraft(id, problem));
  }

  /** For verbs without new text; what goes wrong is said on the quiet line. */
  do(verb: VerbCall): void {
    this.#settle(this.#verb(verb));
  }

  answer(approvalId: string, choice: Choice, reason?: string): void {
    const answered = this.host.request<'answer'>({
      type: 'answer',
      approvalId,
      choice,
      ...(reason !== undefined && reason !== '' && { reason }),
    });
    this.#settle(answered.then((open) => open || this.#say(t('That approval was no longer open.'))));
  }

  /** What an open approval would run, with the words that are masked; undefined when the host has it no more. */
  async revealCommand(approvalId: string): Promise<string | undefined> {
    try {
      const command = await this.host.request<'revealCommand'>({ type: 'revealCommand', approvalId });
      if (command === null) this.#say(t('That approval was no longer open.'));
      return command ?? undefined;
    } catch (error) {
      this.#say(error instanceof HostError ? error.message : String(error), 'error');
      return undefined;
    }
  }

  /** @param typed what goes back into the composer when the question was closed meanwhile */
  answerQuestion(questionId: string, answer: string | readonly string[], typed?: string): void {
    const notTaken = (problem: string, level: 'info' | 'error') => {
      this.#say(problem, level);
      if (typed !== undefined) this.insertDraft(typed);
    };
    const answered = this.host.request<'answerQuestion'>({ type: 'answerQuestion', questionId, answer });
    this.#settle(
      answered.then((open) => open || notTaken(t('That question was no longer open.'), 'info')),
      (problem) => notTaken(problem, 'error'),
    );
  }

  loadOlder(): void {
    const before = this.#state.sections[0]?.rows[0]?.seq;
    if (this.#loadingOlder || !this.#state.hasOlder || before === undefined) return;
    this.#loadingOlder = true;
    const loaded = this.host
      .request<'olderRows'>({ type: 'olderRows', before, limit: olderRows })
      .then((older) => this.#publish(addOlder(this.#state, older)))
      .finally(() => {
        this.#loadingOlder = false;
      });
    this.#settle(loaded);
  }

  setDraft(text: string): void {
    this.draft.value = text;
    this.#draftTold.touch();
    if (text === '') this.tellDraft();
  }

  /** @param first the page has shown no session yet: what was typed meanwhile is for this one */
  #takeDraft({ draft: stored, draftImages = [] }: Pick<Snapshot, 'draft' | 'draftImages'>, first: boolean): void {
    const typed = first ? this.draft.value : '';
    if (first) this.images.put(draftImages);
    else this.images.restart(draftImages);
    this.draft.value = stored;
    if (typed.trim() !== '') this.setDraft(stored.trim() === '' ? typed : `${stored.trimEnd()}\n\n${typed}`);
  }

  /** Does not wait for the pause: whoever leaves the composer may be about to leave the session. */
  tellDraft(): void {
    this.#draftTold.flush();
  }

  #sendDraft(): void {
    const images = this.images.attachments;
    const sessionId = this.#state.session.id;
    this.host.notify({ type: 'draft', sessionId, text: this.draft.value, ...(images.length > 0 && { images }) });
  }

  /** Nothing is waited for: an image is rarely added and long to lose. */
  #imagesChanged(): void {
    const draftImages = this.images.list.peek().length;
    if (draftImages !== this.#state.draftImages) this.#publish({ ...this.#state, draftImages });
    if (this.#state.session.id === '') return;
    this.setDraft(this.draft.value);
    this.tellDraft();
  }

  /** After what the user has typed, never in its place. */
  insertDraft(text: string, images: readonly Attachment[] = []): void {
    this.#addToDraft(text, images);
    this.composerFocus.value++;
  }

  #addToDraft(text: string, images: readonly Attachment[] = []): void {
    const draft = this.draft.value;
    this.images.put(images);
    this.setDraft(draft.trim() === '' ? text : [draft.trimEnd(), text].filter((one) => one !== '').join('\n\n'));
  }

  /** An edit whose item went on without it: nothing typed is lost (control.md, section 4). */
  keepEditedDraft(text: string, itemId: string, sessionId: string): void {
    if (this.#state.session.id !== sessionId) return;
    this.insertDraft(text);
    const waits = this.#state.items.some((item) => item.id === itemId);
    this.#say(
      waits ? t('Your edited text is in the composer.') : t('Already read. Your edited text is in the composer.'),
    );
  }

  /** Text of a card that closed before it was used. The focus stays where it is: it may be in another field by now. */
  keepTyped(text: string, sessionId: string): void {
    if (text === '' || this.#state.session.id !== sessionId) return;
    this.#addToDraft(text);
    this.#say(t('That card closed. What you typed into it is in the composer.'));
  }

  takeReturnedItem(item: Item): void {
    this.insertDraft(item.text, item.attachments);
    this.#keepThenTake([item]);
    this.#publish({ ...this.#state, items: this.#state.items.filter((known) => known.id !== item.id) });
  }

  /** True when the history took the key. */
  browseHistory(direction: 'older' | 'newer'): boolean {
    const found = browse(this.#history, direction, this.draft.value);
    if (!found) return false;
    this.#history = found.history;
    this.setDraft(found.text);
    return true;
  }

  dismissQuietLine(): void {
    this.#publish({ ...this.#state, quietLine: null });
  }

  async #verb(verb: VerbCall): Promise<void> {
    const receipt: Receipt = await this.host.request<'verb'>({ type: 'verb', verb });
    const after = takeReceipt(this.#state, receipt);
    const returned = after.quietLine !== this.#state.quietLine ? after.quietLine : null;
    this.#publish(after);
    this.#putBack(returned);
  }

  #returnDraft(id: string, problem: string): void {
    const after = takeBack(this.#state, id, problem);
    this.#publish(after);
    this.#putBack(after.quietLine);
  }

  /** What came back goes into the composer by itself only when that is empty. */
  #putBack(line: QuietLine | null): void {
    if (line?.draft === undefined || this.draft.value !== '' || !this.images.isEmpty) return;
    this.images.put(line.images ?? []);
    this.setDraft(line.draft);
    const { quietLine } = this.#state;
    if (quietLine) this.#publish({ ...this.#state, quietLine: { level: quietLine.level, text: quietLine.text } });
  }

  /** Texts that a stop returned go into the composer by themselves only when it is empty (control.md, section 4). */
  #takeReturned(state: ChatState): void {
    if (this.draft.peek() !== '' || !this.images.isEmpty) return;
    const returned = state.items.filter((item) => item.state.is === 'returned');
    if (returned.length === 0) return;
    const texts = returned.map((item) => item.text).filter((text) => text !== '');
    this.images.put(returned.flatMap((item) => item.attachments));
    this.setDraft(texts.join('\n\n'));
    this.#keepThenTake(returned);
    this.#state = { ...this.#state, items: this.#state.items.filter((item) => item.state.is !== 'returned') };
    queueMicrotask(() => this.#publish(this.#state));
  }

  /** The draft is kept first: a window that closes in between has the text twice, never not at all. */
  #keepThenTake(items: readonly Item[]): void {
    this.tellDraft();
    for (const { id } of items) this.host.notify({ type: 'takeReturned', itemId: id });
  }

  #settle(work: Promise<unknown>, fail: (problem: string) => void = (problem) => this.#say(problem, 'error')): void {
    work.catch((error: unknown) => {
      fail(error instanceof HostError ? error.message : String(error));
    });
  }

  #say(text: string, level: 'info' | 'error' = 'info'): void {
    this.#publish({ ...this.#state, quietLine: { level, text } });
  }

  #publishNextFrame(state: ChatState): void {
    this.#state = state;
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      this.#publish(this.#state);
    });
  }

  #publish(state: ChatState): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    const before = this.#published.peek();
    this.#state = state;
    this.#published.value = state;
    const sentence = announcement(before, state);
    if (sentence !== undefined) this.announced.value = sentence;
  }
}

/** More letters of an answer that is already on the screen can wait for the next frame; nothing else can. */
function onlyGrows(message: ToView, before: ChatState): boolean {
  if (message.type !== 'events' || document.hidden) return false;
  if (!before.live || (before.live.text === '' && before.live.reasoning === '')) return false;
  return message.events.every((event) => event.type === 'delta');
}

const ChatContext = createContext<Chat | undefined>(undefined);
export const ChatProvider = ChatContext.Provider;

export function useChat(): Chat {
  const chat = useContext(ChatContext);
  if (!chat) throw new Error('A component of the chat was rendered outside of ChatProvider.');
  return chat;
}
