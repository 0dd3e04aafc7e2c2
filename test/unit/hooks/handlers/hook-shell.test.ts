import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'mocha';
import { hookShell, type ShellPlace } from '../../../../src/agent/hooks/handlers/hook-shell.ts';

const gitBash = 'C:\\Program Files\\Git\\bin\\bash.exe';
const windows = (...present: string[]): ShellPlace => ({
  platform: 'win32',
  environment: { CLAUDE_CODE_GIT_BASH_PATH: 'D:\\bash.exe' },
  exists: (path) => present.includes(path),
});

describe('the shell of a hook', () => {
  it('on Windows is the bash of Git for hooks of Claude Code, and PowerShell where there is none (F12)', () => {
    equal(hookShell(undefined, 'claude', windows(gitBash)), gitBash);
    equal(hookShell(undefined, 'claude', windows(gitBash, 'D:\\bash.exe')), 'D:\\bash.exe');
    equal(hookShell(undefined, 'claude', windows()), 'powershell.exe');
  });

  it('on Windows is PowerShell for the others, unless they ask for bash', () => {
    deepEqual(
      [hookShell(undefined, 'codex', windows(gitBash)), hookShell('bash', 'copilot', windows(gitBash))],
      ['powershell.exe', gitBash],
    );
    equal(hookShell('powershell', 'claude', windows(gitBash)), 'powershell.exe');
    equal(hookShell('bash', 'claude', windows()), 'bash.exe');
  });
});
