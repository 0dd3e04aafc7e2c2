import * as vscode from 'vscode';
import type { Swept } from '../agent/turn/index.ts';

/** Characters of a command that are shown. */
const SHOWN = 60;

/** Tells the user what a window that died had left running. It is told once: by now it has been ended. */
export function tellSwept(swept: readonly Swept[]): void {
  if (swept.length === 0) return;
  const names = swept.map(({ command }) => short(command)).join(', ');
  const survivors = swept.flatMap((one) => one.survivors);
  if (survivors.length === 0) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('Midcourse ended what was left running when its window went away: {0}', names),
    );
    return;
  }
  const left = survivors.map(({ pid, command }) => `${pid} (${short(command)})`).join(', ');
  void vscode.window.showWarningMessage(
    vscode.l10n.t(
      'Of what was left running when its window went away ({0}) Midcourse could not end: {1}. End it yourself if it is in your way.',
      names,
      left,
    ),
  );
}

function short(command: string): string {
  const line = command.replace(/\s+/g, ' ').trim();
  return line.length <= SHOWN ? line : `${line.slice(0, SHOWN)}…`;
}
