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

host.listen(window, (message) => chat.receive(message));
chat.focus.watch();
reportErrors();
followFocus();

const root = document.getElementById(rootElementId);
if (!root) throw new Error(`The page has no element ${rootElementId}.`);
render(
  <ChatProvider value={chat}>
    <App />
  </ChatProvider>,
  root,
);
host.notify({ type: 'ready' });

/** VS Code's context keys cannot see the focus inside a webview; the page says it. */
function followFocus(): void {
  let told = false;
  const tell = (focused: boolean) => {
    told = focused;
    host.notify({ type: 'focus', focused });
  };
  window.addEventListener('focus', () => tell(true));
  window.addEventListener('blur', () => tell(false));
  // VS Code may move the focus here and there while a palette closes; whoever presses a key here has it.
  window.addEventListener('keydown', () => told || tell(true), { capture: true });
  if (document.hasFocus()) tell(true);
}

function reportErrors(): void {
  const report = (error: unknown) => {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    host.notify({ type: 'announceError', message: message.slice(0, 4_000) });
  };
  window.addEventListener('error', (event) => report(event.error ?? event.message));
  window.addEventListener('unhandledrejection', (event) => report(event.reason));
}
