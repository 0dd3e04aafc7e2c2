/** Which scenario a text asks for, and what every answer of the practice model has in common. */

import { asideMove } from './aside.ts';
import { clearProblems } from './clear-problems.ts';
import { explainProject } from './explain-project.ts';
import { findNotes } from './find-notes.ts';
import { fixTest } from './fix-test.ts';
import { help, noTools } from './help.ts';
import { type Guidance, INTRODUCTION, type Rehearsal } from './history.ts';
import type { Move, Scenario } from './move.ts';
import { planTool } from './plan-tool.ts';
import { tour } from './tour.ts';

/** The first that fits. */
const SCENARIOS: readonly { readonly asks: RegExp; readonly needs: string; readonly play: Scenario }[] = [
  { asks: /\b(stop|steer|redirect|tour|rehears\w*|practi[cs]e)\b/i, needs: 'terminal', play: tour },
  { asks: /\b(todo|fixme)\b/i, needs: 'search_files', play: findNotes },
  { asks: /\b(problems?|diagnostics?|type errors?)\b/i, needs: 'diagnostics', play: clearProblems },
  { asks: /\b(tests?|fix|mend|repair|bug|cart|total|reduce)\b/i, needs: 'patch', play: fixTest },
  {
    asks: /\b(explain|describe|overview|what (is|does) th(is|e)|where to start)\b/i,
    needs: 'list_files',
    play: explainProject,
  },
  { asks: /\bplan\b/i, needs: 'ask_user', play: planTool },
];

/** The practice model's next answer. Pure: it depends on the history and nothing else. */
export function nextMove(rehearsal: Rehearsal): Move {
  const aside = asideMove(rehearsal);
  if (aside) return aside;
  const move = scenarioOf(rehearsal)(rehearsal);
  const before = [
    ...(rehearsal.introduced ? [] : [`*${INTRODUCTION}*`]),
    ...(rehearsal.stoppedIn !== undefined && rehearsal.done.length === 0 ? [AFTER_STOP[rehearsal.stoppedIn]] : []),
    ...rehearsal.unread.map(acknowledge),
  ];
  return { ...move, say: [...before, move.say].filter((part) => part !== '').join('\n\n') };
}

/** A redirect may ask for another scenario; a steer goes on with the one that runs. */
function scenarioOf(rehearsal: Rehearsal): Scenario {
  const redirects = rehearsal.guidance.filter(({ kind }) => kind === 'redirect').map(({ text }) => text);
  const goesOn = /\b(continue|go on|carry on|resume)\b/i.test(rehearsal.task);
  const texts = [...redirects.reverse(), rehearsal.task, ...(goesOn ? [rehearsal.previousTask] : [])];
  for (const text of texts) {
    const found = SCENARIOS.find(({ asks }) => asks.test(text));
    if (found !== undefined) return rehearsal.tools.has(found.needs) ? found.play : noTools;
  }
  return help;
}

const AFTER_STOP = {
  tools:
    'You stopped me before. The command and everything it had started are gone, and nothing went on behind your back.',
  answer: 'You stopped me before. What you had read by then is kept, and nothing went on behind your back.',
} as const;

function acknowledge({ kind, text }: Guidance): string {
  return kind === 'redirect'
    ? `You redirected me: “${text}”. My answer ended in the middle; from here I follow your words.`
    : `You steered me: “${text}”. I read it after the running step, before doing anything else.`;
}
