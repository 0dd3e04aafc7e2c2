import type { Scenario } from './move.ts';

export const help: Scenario = ({ task }) => ({
  say: [
    `I am a script, so I cannot really work on “${shortened(task)}”. What I can rehearse with you, with real tools in your workspace:`,
    [
      '- **Fix the failing test**: I run the tests, read the code, change it and check it. You approve each step.',
      '- **Explain this project**: I list and read files, and tell what I found.',
      '- **Try stop, steer and redirect**: a long command and a long answer for you to interrupt.',
      '- **Clear the problems**: I read what the editor underlines.',
    ].join('\n'),
    'For real work choose a model: *Midcourse: Select Model* lists those of VS Code and of a local Ollama or LM Studio; *Midcourse: Set API Key* connects a provider.',
  ].join('\n\n'),
});

export const noTools: Scenario = () => ({
  say: 'My tools are off here: there is no trusted folder on disk. Open a folder and trust it, or use *Midcourse: Start Practice*, which opens a sample; then ask again.',
});

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 80 ? `${line.slice(0, 80)}…` : line;
}
