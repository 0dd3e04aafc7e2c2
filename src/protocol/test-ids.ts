/** `data-testid`s of the chat, so that UI tests and components cannot drift apart. */

export const testIds = {
  root: 'chat',
  header: 'header',
  title: 'title',
  titleInput: 'title-input',
  contextMeter: 'context-meter',
  contextPopover: 'context-popover',
  cost: 'cost',
  costPopover: 'cost-popover',
  newSession: 'new-session',
  sessions: 'sessions',
  sessionsList: 'sessions-list',
  overflow: 'overflow',
  overflowMenu: 'overflow-menu',
  transcript: 'transcript',
  userMessage: 'user-message',
  deliveryMark: 'delivery-mark',
  assistantText: 'assistant-text',
  reasoning: 'reasoning',
  toolGroup: 'tool-group',
  /** A reconnect, or another model that goes on. */
  mark: 'mark',
  /** A hook had the turn go on. */
  goOn: 'go-on',
  turnEnd: 'turn-end',
  turnStopped: 'turn-stopped',
  turnFailed: 'turn-failed',
  turnContinue: 'turn-continue',
  turnRetry: 'turn-retry',
  turnAction: 'turn-action',
  copyAnswer: 'copy-answer',
  codeBlock: 'code-block',
  copyCode: 'copy-code',
  insertCode: 'insert-code',
  activity: 'activity',
  jumpToLatest: 'jump-to-latest',
  shelf: 'shelf',
  held: 'held',
  resumeQueue: 'resume-queue',
  receiptLine: 'receipt-line',
  composer: 'composer',
  slashMenu: 'slash-menu',
  slashHint: 'slash-hint',
  attach: 'attach',
  attachInput: 'attach-input',
  draftImages: 'draft-images',
  removeImage: 'remove-image',
  noVision: 'no-vision',
  send: 'send',
  sendMenuButton: 'send-menu-button',
  sendMenu: 'send-menu',
  stop: 'stop',
  modelPicker: 'model-picker',
  modelMenu: 'model-menu',
  modelSearch: 'model-search',
  modelSetKey: 'model-set-key',
  modelTest: 'model-test',
  effortPicker: 'effort-picker',
  effortMenu: 'effort-menu',
  empty: 'empty-state',
  suggestion: 'suggestion',
  help: 'accessibility-help',
  liveRegion: 'live-region',
  background: 'background',
  summary: 'summary',
  summaryToggle: 'summary-toggle',
  compact: 'compact',
  readOnlyBar: 'read-only-bar',
  takeOver: 'take-over',
} as const;

/** Ids that carry the id of what they show; find the controls inside by `testIds.control`. */
export const toolCardId = (callId: string) => `tool-${callId}`;
export const approvalCardId = (callId: string) => `approval-${callId}`;
export const questionCardId = (callId: string) => `question-${callId}`;
/** The card of a delegated agent; the id is that of the call that started it. */
export const agentCardId = (callId: string) => `agent-${callId}`;
/** A line of the list of what goes on in the background. */
export const backgroundAgentId = (childId: string) => `background-agent-${childId}`;
export const backgroundProcessId = (processId: string) => `background-process-${processId}`;
/** An image of the unsent text, counted from 0. */
export const draftImageId = (index: number) => `draft-image-${index}`;
/** An image by its reference, in the composer and in the transcript. */
export const thumbnailId = (ref: string) => `image-${ref}`;
export const chipId = (itemId: string) => `chip-${itemId}`;

export const cardControls = {
  toggle: 'card-toggle',
  stopCommand: 'stop-command',
  moveToBackground: 'move-to-background',
  openDiff: 'open-diff',
  openFullOutput: 'open-full-output',
  output: 'card-output',
  hookWords: 'hook-words',
  showHook: 'show-hook',
  stopAgent: 'stop-agent',
  agentActivity: 'agent-activity',
  agentTranscript: 'agent-transcript',
  end: 'end',
  allow: 'allow',
  allowMenuButton: 'allow-menu-button',
  allowSession: 'allow-session',
  allowAlways: 'allow-always',
  deny: 'deny',
  denyReason: 'deny-reason',
  denyConfirm: 'deny-confirm',
  revealSecrets: 'reveal-secrets',
  openCommand: 'open-command',
  choice: 'question-choice',
  questionText: 'question-text',
  questionSubmit: 'question-submit',
} as const;

export const chipControls = {
  redirectNow: 'chip-redirect-now',
  sendNow: 'chip-send-now',
  edit: 'chip-edit',
  editor: 'chip-editor',
  save: 'chip-save',
  remove: 'chip-remove',
  moveUp: 'chip-move-up',
  moveDown: 'chip-move-down',
  putInComposer: 'chip-put-in-composer',
} as const;

/** Of the send menu's entries. */
export const sendMenuEntry = (verb: 'steer' | 'queue' | 'redirect' | 'stopAndSend') => `send-as-${verb}`;
