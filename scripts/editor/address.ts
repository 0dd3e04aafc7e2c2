export interface WindowAddress {
  /** http://127.0.0.1:port of the server. */
  readonly origin: string;
  /** Absolute path; without it the window is empty. */
  readonly folder?: string | undefined;
  /** Extensions to load from their folders, as in `code --extensionDevelopmentPath`. */
  readonly extensions?: readonly string[];
  /** The file whose `run()` the extension host calls, as in `code --extensionTestsPath`. */
  readonly tests?: string;
}

/** The address that opens a window of the server in any browser. */
export function windowAddress({ origin, folder, extensions = [], tests }: WindowAddress): string {
  const remote = (file: string) => `vscode-remote://${new URL(origin).host}${file}`;
  const payload = [
    ...extensions.map((file) => ['extensionDevelopmentPath', remote(file)]),
    ...(tests === undefined ? [] : [['extensionTestsPath', remote(tests)]]),
  ];
  const address = new URL(origin);
  if (folder !== undefined) address.searchParams.set('folder', folder);
  else address.searchParams.set('ew', 'true');
  if (payload.length > 0) address.searchParams.set('payload', JSON.stringify(payload));
  return address.href;
}
