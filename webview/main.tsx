import './no-eval.ts';
import './styles/index.css';
import { render } from 'preact';
import { rootElementId } from '../src/protocol/index.ts';
import { Chat, ChatProvider } from './chat.ts';
import { App } from './components/app.tsx';
import { type EditorPage, Host } from './host.ts';
import { loadStrings } from './l10n.ts';

declare function acquireVsCodeApi(): EditorPage;

const host = new Host(acquireVsCodeApi());
loadStrings(document);
const chat = new Chat(host);

const tellFocus = focusTeller();

host.listen(window, (message) => (message.type === 'askFocus' ? tellFocus() : chat.receive(message)));
chat.focus.watch();
// The page goes with a reload, or is put away: what was typed last must not go with it.
window.addEventListener('pagehide', () => chat.tellDraft());
document.addEventListener('visibilitychange', () => document.hidden && chat.tellDraft());
reportErrors();

const root = document.getElementById(rootElementId);
if (!root) throw new Error(`The page has no element ${rootElementId}.`);
render(
  <ChatProvider value={chat}>
    <App />
  </ChatProvider>,
  root,
);
host.notify({ type: 'ready' });
// After that: for the host a page that is ready anew has no focus until it says so.
if (document.hasFocus()) tellFocus();

/** VS Code's context keys cannot see the focus inside a webview; the page says it. What is returned says it anew. */
function focusTeller(): () => void {
  let told = false;
  const tell = (focused: boolean) => {
    told = focused;
    host.notify({ type: 'focus', focused });
  };
  const tellUser = () => told || tell(true);
  window.addEventListener('focus', () => tell(true));
  window.addEventListener('blur', () => tell(false));
  // VS Code may move the focus here and there while a palette closes; whoever presses a key or clicks here has it.
  window.addEventListener('keydown', tellUser, { capture: true });
  window.addEventListener('pointerdown', tellUser, { capture: true });
  return () => {
    // Another page said that it has the focus: the next key or click here says otherwise.
    told = false;
    host.notify({ type: 'focus', focused: document.hasFocus(), asked: true });
  };
}

function reportErrors(): void {
  const report = (error: unknown) => {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    host.notify({ type: 'announceError', message: message.slice(0, 4_000) });
  };
  window.addEventListener('error', (event) => report(event.error ?? event.message));
  window.addEventListener('unhandledrejection', (event) => report(event.reason));
}
