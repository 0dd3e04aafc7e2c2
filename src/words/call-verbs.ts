/** What a call does, in each state that it can be in: a card never says that something happened which did not. */

import type { CallVerb } from '../api.ts';

/** The sentence in the reader's language, with `{0}` replaced. */
export type Say = (english: string, ...values: readonly string[]) => string;

/** Which of a verb's forms a state takes: `cut` was begun and did not come to its end, `not` never began. */
export type Form = 'ahead' | 'now' | 'done' | 'failed' | 'cut' | 'not';

type Forms = Readonly<Record<Form, string>>;

/** @param object what it is done to; empty while nobody knows */
export function verbForms(verb: CallVerb, t: Say, object: string): Forms {
  return verbs[verb](t, object);
}

const verbs: Readonly<Record<CallVerb, (t: Say, object: string) => Forms>> = {
  read: (t, object) => ({
    ahead: t('About to read {0}', object),
    now: t('Reading {0}', object),
    done: t('Read {0}', object),
    failed: t('Could not read {0}', object),
    cut: t('Did not finish reading {0}', object),
    not: t('Not read: {0}', object),
  }),
  list: (t, object) => ({
    ahead: t('List {0}', object),
    now: t('Listing {0}', object),
    done: t('Listed {0}', object),
    failed: t('Could not list {0}', object),
    cut: t('Did not finish listing {0}', object),
    not: t('Not listed: {0}', object),
  }),
  search: (t, object) => ({
    ahead: t('Search for {0}', object),
    now: t('Searching for {0}', object),
    done: t('Searched for {0}', object),
    failed: t('Could not search for {0}', object),
    cut: t('Did not finish searching for {0}', object),
    not: t('Not searched for {0}', object),
  }),
  findFiles: (t, object) => ({
    ahead: t('Look for files {0}', object),
    now: t('Looking for files {0}', object),
    done: t('Looked for files {0}', object),
    failed: t('Could not look for files {0}', object),
    cut: t('Did not finish looking for files {0}', object),
    not: t('Not looked for files {0}', object),
  }),
  write: (t, object) => ({
    ahead: t('Write {0}', object),
    now: t('Writing {0}', object),
    done: t('Wrote {0}', object),
    failed: t('Could not write {0}', object),
    cut: t('Did not finish writing {0}', object),
    not: t('Not written: {0}', object),
  }),
  edit: (t, object) => ({
    ahead: t('Edit {0}', object),
    now: t('Editing {0}', object),
    done: t('Edited {0}', object),
    failed: t('Could not edit {0}', object),
    cut: t('Did not finish editing {0}', object),
    not: t('Not edited: {0}', object),
  }),
  run: (t, object) => ({
    ahead: t('Run {0}', object),
    now: t('Running {0}', object),
    done: t('Ran {0}', object),
    failed: t('Could not run {0}', object),
    cut: t('Did not finish running {0}', object),
    not: t('Not run: {0}', object),
  }),
  start: (t, object) => ({
    ahead: t('Start {0}', object),
    now: t('Starting {0}', object),
    done: t('Started {0}', object),
    failed: t('Could not start {0}', object),
    cut: t('Did not finish starting {0}', object),
    not: t('Not started: {0}', object),
  }),
  listProcesses: (t) => ({
    ahead: t('List the background processes'),
    now: t('Listing the background processes'),
    done: t('Listed the background processes'),
    failed: t('Could not list the background processes'),
    cut: t('Did not finish listing the background processes'),
    not: t('Background processes not listed'),
  }),
  pollProcess: (t, object) => ({
    ahead: t('Look at process {0}', object),
    now: t('Looking at process {0}', object),
    done: t('Looked at process {0}', object),
    failed: t('Could not look at process {0}', object),
    cut: t('Did not finish looking at process {0}', object),
    not: t('Not looked at process {0}', object),
  }),
  endProcess: (t, object) => ({
    ahead: t('End process {0}', object),
    now: t('Ending process {0}', object),
    done: t('Ended process {0}', object),
    failed: t('Could not end process {0}', object),
    cut: t('Did not finish ending process {0}', object),
    not: t('Not ended: process {0}', object),
  }),
  check: (t, object) => ({
    ahead: t('Check for problems: {0}', object),
    now: t('Checking for problems: {0}', object),
    done: t('Checked for problems: {0}', object),
    failed: t('Could not check for problems: {0}', object),
    cut: t('Did not finish checking for problems: {0}', object),
    not: t('Problems not checked: {0}', object),
  }),
  ask: (t, object) => ({
    ahead: t('Ask: {0}', object),
    now: t('Asking: {0}', object),
    done: t('Asked: {0}', object),
    failed: t('Could not ask: {0}', object),
    cut: t('Got no answer to: {0}', object),
    not: t('Not asked: {0}', object),
  }),
  readPlan: (t) => ({
    ahead: t('About to read the plan'),
    now: t('Reading the plan'),
    done: t('Read the plan'),
    failed: t('Could not read the plan'),
    cut: t('Did not finish reading the plan'),
    not: t('Plan not read'),
  }),
  plan: (t) => ({
    ahead: t('Update the plan'),
    now: t('Updating the plan'),
    done: t('Updated the plan'),
    failed: t('Could not update the plan'),
    cut: t('Did not finish updating the plan'),
    not: t('Plan not updated'),
  }),
  delegate: (t, object) => ({
    ahead: t('Delegate: {0}', object),
    now: t('Delegating: {0}', object),
    done: t('Delegated: {0}', object),
    failed: t('Could not delegate: {0}', object),
    cut: t('Did not finish delegating: {0}', object),
    not: t('Not delegated: {0}', object),
  }),
  delegateInBackground: (t, object) => ({
    ahead: t('Delegate in the background: {0}', object),
    now: t('Delegating in the background: {0}', object),
    done: t('Delegated in the background: {0}', object),
    failed: t('Could not delegate in the background: {0}', object),
    cut: t('Did not finish delegating in the background: {0}', object),
    not: t('Not delegated in the background: {0}', object),
  }),
  use: (t, object) => ({
    ahead: t('Use {0}', object),
    now: t('Using {0}', object),
    done: t('Used {0}', object),
    failed: t('Could not use {0}', object),
    cut: t('Did not finish using {0}', object),
    not: t('Not used: {0}', object),
  }),
  searchWeb: (t, object) => ({
    ahead: t('Search the web: {0}', object),
    now: t('Searching the web: {0}', object),
    done: t('Searched the web: {0}', object),
    failed: t('Could not search the web: {0}', object),
    cut: t('Did not finish searching the web: {0}', object),
    not: t('Web not searched: {0}', object),
  }),
  answer: (t, object) => ({
    ahead: t('Answer {0}', object),
    now: t('Answering {0}', object),
    done: t('Answered {0}', object),
    failed: t('Could not answer {0}', object),
    cut: t('Did not finish answering {0}', object),
    not: t('Not answered: {0}', object),
  }),
  note: (t, object) => ({
    ahead: t('Note {0}', object),
    now: t('Noting {0}', object),
    done: t('Noted {0}', object),
    failed: t('Could not note {0}', object),
    cut: t('Did not finish noting {0}', object),
    not: t('Not noted: {0}', object),
  }),
};

export const callVerbs = Object.keys(verbs) as readonly CallVerb[];
