/** Which grammar counts for which shell. */

/** `posix`: sh and bash. `other`: no grammar of ours is true for it, so everything asks. */
export type ShellKind = 'posix' | 'powershell' | 'cmd' | 'other';

/** @param shell path or name of the program that runs commands */
export function shellKind(shell: string): ShellKind {
  const name = shell
    .replace(/^.*[\\/]/, '')
    .replace(/\.exe$/i, '')
    .toLowerCase();
  if (name === 'bash' || name === 'sh') return 'posix';
  if (/^(powershell|pwsh)(-preview)?$/.test(name)) return 'powershell';
  return name === 'cmd' ? 'cmd' : 'other';
}
