import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Consent, Consentable, ConsentChange } from '../../agent/trust/index.ts';
import type { VirtualDocuments } from '../virtual-documents.ts';
import { reviewText } from './review-text.ts';
import type { Trust } from './trust.ts';

export interface ReviewParts {
  readonly trust: Trust;
  readonly documents: VirtualDocuments;
}

/** Shows what would run, asks, and gives the consent. Asks again when it was changed while it was being read. */
export async function reviewConsent(of: Consentable, { trust, documents }: ReviewParts): Promise<boolean> {
  if (!trust.isTrusted()) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t(
        '{0} cannot be allowed: this workspace is not trusted, so nothing of it runs. Trust it with the command Workspaces: Manage Workspace Trust.',
        of.title,
      ),
    );
    return false;
  }
  for (let again = false; ; again = true) {
    const consent = await trust.consents.check(of);
    if (consent.is === 'changed') await showChanges(of, consent.changed, documents);
    else await documents.showText(`${fileNameOf(of)}.md`, await reviewText(of, consent));
    if (!(await ask(of, consent, again))) return false;
    if (await trust.allow(of, consent.hash)) return true;
  }
}

async function ask(of: Consentable, consent: Consent, again: boolean): Promise<boolean> {
  const allow = consent.is === 'allowed' ? vscode.l10n.t('Keep allowed') : vscode.l10n.t('Allow');
  const answer = await vscode.window.showQuickPick(
    // In one line each: the list lies over the beginning of what is to be read.
    [
      {
        label: `$(check) ${allow}`,
        description: vscode.l10n.t('It runs as it is shown, until it is changed.'),
        yes: true,
      },
      {
        label: `$(circle-slash) ${vscode.l10n.t('Not now')}`,
        description: vscode.l10n.t('It does not run.'),
        yes: false,
      },
    ],
    {
      title: of.title,
      placeHolder: question(consent, again),
      // The text has to be read, and scrolled, before this is answered.
      ignoreFocusOut: true,
    },
  );
  return answer?.yes ?? false;
}

function question(consent: Consent, again: boolean): string {
  if (again) return vscode.l10n.t('It was changed while you were reading. May it run as it is now?');
  switch (consent.is) {
    case 'waiting':
      return vscode.l10n.t('May this run? Read in the editor what it would run.');
    case 'changed':
      return vscode.l10n.t('It was changed since you allowed it. May it run as it is now?');
    case 'allowed':
      return vscode.l10n.t('You have allowed this.');
    default:
      return consent satisfies never;
  }
}

/**
 * The question lies over the first lines of what is shown, and nothing that is asked about may be behind it. Without
 * words, which would be errors in JSON.
 */
const MARGIN = '\n\n\n\n';

async function showChanges(
  of: Consentable,
  changed: readonly ConsentChange[],
  documents: VirtualDocuments,
): Promise<void> {
  const notKept = vscode.l10n.t('(not shown: it was missing, is not text, or is larger than 256 KiB)');
  await documents.showDiffs(
    vscode.l10n.t('{0}: changed since you allowed it', of.title),
    changed.map(({ what, before, after }) => ({
      path: what === 'definition' ? `/${fileNameOf(of)}.json` : what,
      before: `${MARGIN}${before ?? notKept}`,
      after: `${MARGIN}${after ?? notKept}`,
    })),
  );
}

/** Of a title, which may hold anything that a command line may. */
function fileNameOf(of: Consentable): string {
  const name = of.title.replace(/[^\w.-]+/g, '-').replace(/^-+|-+$/g, '');
  return (name || basename(of.path)).slice(0, 60);
}
