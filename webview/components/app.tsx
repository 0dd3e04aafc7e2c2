import { testIds } from '../../src/protocol/index.ts';
import { useChat } from '../chat.ts';
import { ActivityLine } from './activity-line.tsx';
import { BackgroundList } from './background-list.tsx';
import { Composer } from './composer.tsx';
import { Header } from './header.tsx';
import { HelpDialog } from './help-dialog.tsx';
import { QuietLine } from './quiet-line.tsx';
import { Shelf } from './shelf.tsx';
import { Transcript } from './transcript.tsx';
import { useFonts } from './use-fonts.ts';

/** The order on the page is the order of reading and of the focus. */
export function App() {
  useFonts();
  return (
    <main class="chat" data-testid={testIds.root}>
      <Header />
      <Transcript />
      <div class="dock">
        <ActivityLine />
        <BackgroundList />
        <Shelf />
        <QuietLine />
        <Composer />
      </div>
      <HelpDialog />
      <LiveRegion />
    </main>
  );
}

/** Outside of the transcript, so that streamed text never reaches a screen reader word by word. */
function LiveRegion() {
  const chat = useChat();
  return (
    <div class="only-heard" role="status" aria-live="polite" data-testid={testIds.liveRegion}>
      {chat.announced.value}
    </div>
  );
}
