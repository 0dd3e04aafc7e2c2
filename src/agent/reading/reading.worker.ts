/** Reads files of others, in a thread that can be ended. */

import { parentPort } from 'node:worker_threads';
import { inspectText } from '../customisations/inspect-text.ts';
import { parse } from '../customisations/yaml.ts';
import { readHooks } from '../hooks/files/read-hooks.ts';
import type { NoAnswer } from '../kernel/worker-thread.ts';
import { readServersAt } from '../mcp/config/read-workspace-servers.ts';
import { judgeManifests } from '../plugins/manifest-text.ts';
import { type Read, type Reading, yamlLimits } from './index.ts';

parentPort?.on('message', (reading: Reading) => parentPort?.postMessage(answer(reading)));

/** An error is an answer: the thread goes on with the next file. */
function answer(reading: Reading): Read | NoAnswer {
  try {
    return read(reading);
  } catch (error) {
    if (error instanceof RangeError) return { why: 'failed', words: 'it is nested too deeply' };
    return { why: 'failed', words: error instanceof Error ? error.message : String(error) };
  }
}

function read(reading: Reading): Read {
  switch (reading.is) {
    case 'hooks':
      return { hooks: readHooks(reading) };
    case 'servers':
      return { servers: readServersAt(reading.text, reading) };
    case 'manifests': {
      const manifest = judgeManifests(reading.texts);
      return manifest === undefined ? {} : { manifest };
    }
    case 'instructions':
      return { inspected: inspectText(reading.text) };
    case 'yaml':
      try {
        return { yaml: { value: parse(reading.text, yamlLimits) } };
      } catch (error) {
        return { yaml: { problem: error instanceof Error ? error.message : String(error) } };
      }
    default:
      return reading satisfies never;
  }
}

parentPort?.postMessage('ready');
