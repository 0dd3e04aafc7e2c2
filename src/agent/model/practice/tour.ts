import type { DoneCall, Rehearsal } from './history.ts';
import { call, lastDone, type Move, type Scenario } from './move.ts';

const SECONDS = 20;

/** A command that can be watched and stopped: it says a line each second. */
export const LONG_COMMAND =
  process.platform === 'win32'
    ? `1..${SECONDS} | ForEach-Object { "step $_ of ${SECONDS}"; Start-Sleep 1 }`
    : `for i in ${Array.from({ length: SECONDS }, (_, index) => index + 1).join(' ')}; do echo "step $i of ${SECONDS}"; sleep 1; done`;

const STOP = 'Stop a running command';
const STEER = 'Steer: add a hint while it works';
const REDIRECT = 'Redirect: cut its answer';

/** A question, a long command and a long answer: something to stop, to steer and to redirect. */
export const tour: Scenario = (rehearsal) => {
  const redirected = rehearsal.guidance.findLast(({ kind }) => kind === 'redirect');
  if (redirected !== undefined) return { say: afterRedirect(redirected.text) };

  const asked = lastDone(rehearsal, 'ask_user');
  const ran = lastDone(rehearsal, 'terminal', (done) => done.input.command === LONG_COMMAND);
  if (asked === undefined && ran === undefined && rehearsal.tools.has('ask_user')) return ask(rehearsal);
  if (ran === undefined && !asked?.text.includes(REDIRECT)) return runLong(asked);
  return { say: longAnswer(rehearsal, ran), slow: true };
};

function ask(rehearsal: Rehearsal): Move {
  const again = rehearsal.stoppedIn !== undefined ? 'We can go on with the rehearsal. ' : '';
  return {
    say: `${again}Whatever I do, you stay in command: **stop** ends everything at once, **steer** gives me a hint that I read at the next step, **redirect** cuts my answer and turns me around in the same turn, **queue** waits until I am done.`,
    calls: [
      call('ask_user', {
        question: 'What would you like to try first?',
        choices: [STOP, STEER, REDIRECT],
      }),
    ],
  };
}

function runLong(asked: DoneCall | undefined): Move {
  const steering = asked?.text.includes(STEER) === true;
  const hint = steering
    ? 'While it counts, type a hint and press Enter. It waits on the shelf above the composer and reaches me when the command is done.'
    : 'While it counts, press Stop (or Escape). The command and everything it started end with it.';
  return {
    say: `I start a command that counts for ${SECONDS} seconds. ${hint}`,
    calls: [call('terminal', { command: LONG_COMMAND })],
  };
}

function longAnswer(rehearsal: Rehearsal, ran: DoneCall | undefined): string {
  return [
    ran === undefined ? '' : aboutRun(ran),
    rehearsal.guidance.length > 0
      ? 'That was a steer: nothing was cancelled, and your hint came in at the first safe place.'
      : '',
    'Now I talk for a while, slowly, so that you can redirect me: type other words and press Ctrl+Enter (Cmd+Enter on a Mac), or choose *Redirect* in the menu of the send button.',
    'A redirect closes the connection to the model at once. What you have read so far stays, marked as cut; your words go in behind it, and the same turn goes on. It costs no step, and nothing that I had only half decided is carried out.',
    'If a tool is running at that moment, it is not torn apart: a command moves to the background and keeps its output, and your words reach me right after.',
    'You could also queue something: Alt+Enter. It becomes a turn of its own when this one is over, and you can edit, move or remove it until then.',
    'And if you close this window now, the conversation is there when you come back, with everything that you had typed.',
    'Still here? Then you have read the whole answer without cutting it. Send “Try stop, steer and redirect” to begin again, or “Fix the failing test” to see edits and approvals.',
  ]
    .filter((paragraph) => paragraph !== '')
    .join('\n\n');
}

function aboutRun(ran: DoneCall): string {
  if (/background/i.test(ran.text)) return 'The command goes on in the background; its card has *End*.';
  if (ran.isError) return 'The command did not run to its end.';
  return 'The command counted to its end.';
}

function afterRedirect(text: string): string {
  return `A real model would answer “${text}” now. I am a script and can only show that the turn went on: same turn, new direction, and the half answer above is kept as it was. Send “Fix the failing test” to see edits and approvals, or choose a real model with *Midcourse: Select Model*.`;
}
