/** Reads files of others, in a thread that can be ended. */

import { parentPort } from 'node:worker_threads';
import { parse } from '../customisations/yaml.ts';
import { readHooks } from '../hooks/files/read-hooks.ts';
import type { Read, Reading } from './index.ts';

parentPort?.on('message', (reading: Reading) => parentPort?.postMessage(read(reading)));

function read(reading: Reading): Read {
  switch (reading.is) {
    case 'hooks':
      return { hooks: readHooks(reading) };
    case 'yaml':
      try {
        return { yaml: { value: parse(reading.text, { maxAliasCount: 20, schema: 'core' }) } };
      } catch (error) {
        return { yaml: { problem: error instanceof Error ? error.message : String(error) } };
      }
    default:
      return reading satisfies never;
  }
}

parentPort?.postMessage('ready');
