/** Everything the page shows. Never mutated: a change is a new value, and what did not change keeps its identity. */

import type {
  Attachment,
  BackgroundProcess,
  ChildAgent,
  Item,
  PendingApproval,
  PendingQuestion,
  SessionSummary,
  TranscriptRow,
  TurnResult,
} from '../../src/api.ts';
import type {
  CallCard,
  LiveState,
  Meter,
  ModelGroup,
  ModelInUse,
  SlashEntry,
  Snapshot,
  ViewSettings,
  ViewState,
  Welcome,
} from '../../src/protocol/index.ts';

export type TextVerb = 'send' | 'steer' | 'redirect' | 'queue' | 'stopAndSend';

/** A stretch of one turn's rows: small enough to draw anew, and contained so that others are never laid out with it. */
export interface Section {
  /** Stays the same from the first streamed letter to the stored row, so that nothing is drawn twice. */
  readonly key: string;
  readonly turnId: string;
  readonly rows: readonly TranscriptRow[];
}

/** A text that was sent and that the host has not yet shown as a row or an item. */
export interface Outgoing {
  readonly id: string;
  readonly text: string;
  readonly images: readonly Attachment[];
  readonly as: TextVerb;
  /** A message that starts a turn is shown in the transcript, anything else on the waiting shelf. */
  readonly place: 'transcript' | 'shelf';
  /** From the receipt. */
  readonly turnId?: string;
}

export interface QuietLine {
  readonly level: 'info' | 'error';
  readonly text: string;
  /** A text that came back and is offered for the composer, with the images that went with it. */
  readonly draft?: string;
  readonly images?: readonly Attachment[];
}

export interface ChatState {
  /** −1 before the first snapshot. */
  readonly seq: number;
  /** True from a gap in the numbers until the next snapshot. */
  readonly outOfStep: boolean;
  readonly session: Snapshot['session'];
  readonly sections: readonly Section[];
  readonly hasOlder: boolean;
  readonly turnResults: ReadonlyMap<string, TurnResult>;
  readonly calls: ReadonlyMap<string, CallCard>;
  /** Undelivered and returned items in the order of delivery. */
  readonly items: readonly Item[];
  /** Of delivered items that were seen on the way: whether the model has read them. */
  readonly reads: ReadonlyMap<string, boolean>;
  readonly outgoing: readonly Outgoing[];
  readonly approvals: readonly PendingApproval[];
  readonly questions: readonly PendingQuestion[];
  readonly state: ViewState;
  readonly live: LiveState | null;
  readonly meter: Meter;
  readonly model: ModelInUse;
  readonly processes: readonly BackgroundProcess[];
  /** Delegated agents in the order of their start, ended ones too. */
  readonly children: readonly ChildAgent[];
  readonly settings: ViewSettings;
  readonly workspace: Snapshot['workspace'];
  readonly welcome: Welcome;
  readonly quietLine: QuietLine | null;
  /** Images of the unsent text. */
  readonly draftImages: number;
  readonly sessions: { readonly list: readonly SessionSummary[]; readonly currentId: string } | null;
  readonly models: { readonly groups: readonly ModelGroup[]; readonly current: string } | null;
  /** As the host said them last; null before that. */
  readonly slashCommands: readonly SlashEntry[] | null;
}

const noUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 } as const;

export const initialState: ChatState = {
  seq: -1,
  outOfStep: false,
  session: { id: '', title: '' },
  sections: [],
  hasOlder: false,
  turnResults: new Map(),
  calls: new Map(),
  items: [],
  reads: new Map(),
  outgoing: [],
  approvals: [],
  questions: [],
  state: { state: 'idle' },
  live: null,
  meter: { contextUsed: 0, contextWindow: 0, usage: noUsage },
  model: { ref: '', label: '', practice: false },
  processes: [],
  children: [],
  settings: {
    busyInput: 'steer',
    fontSize: 0,
    fontFamily: '',
    editorFontSize: 0,
    editorFontFamily: '',
    platform: 'linux',
  },
  workspace: { folders: [], trusted: true },
  welcome: { suggestions: [], modelHint: { text: '', actions: [] } },
  quietLine: null,
  draftImages: 0,
  sessions: null,
  models: null,
  slashCommands: null,
};
