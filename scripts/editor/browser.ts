import { type Browser, chromium } from 'playwright-core';
import { findBrowser } from './debian.ts';
import type { LaunchScope } from './launch-scope.ts';

/** Headless Chromium with a profile of its own. It ends with the scope. */
export async function startBrowser(scope: LaunchScope): Promise<Browser> {
  const executablePath = findBrowser();
  if (!executablePath)
    throw new Error('No Chromium on PATH. Install the package chromium, or name one in MIDCOURSE_CHROMIUM.');
  return chromium.launch({
    executablePath,
    env: definedOnly(scope.environment()),
    // The owner of the scope decides when it ends.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });
}

function definedOnly(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
