import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findBrowser, MissingPackages, requirePackages } from '../../../scripts/editor/debian.ts';

describe('Debian packages', () => {
  const { PATH, MIDCOURSE_CHROMIUM } = process.env;
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'midcourse-path-'));
    process.env.PATH = folder;
    delete process.env.MIDCOURSE_CHROMIUM;
  });
  afterEach(async () => {
    process.env.PATH = PATH;
    if (MIDCOURSE_CHROMIUM !== undefined) process.env.MIDCOURSE_CHROMIUM = MIDCOURSE_CHROMIUM;
    await rm(folder, { recursive: true, force: true });
  });

  const install = async (program: string, mode = 0o755) => {
    await writeFile(path.join(folder, program), '#!/bin/sh\n');
    await chmod(path.join(folder, program), mode);
  };

  it('that are missing and cannot be installed are named in one line with the command that brings them', async () => {
    await install('make');
    await assert.rejects(requirePackages({ build: true, say: assert.fail }), (error) => {
      assert.ok(error instanceof MissingPackages);
      assert.match(
        error.message,
        /^Missing: chromium, python3, g\+\+.* sudo apt-get install -y chromium python3 g\+\+[^\n]*$/,
      );
      return true;
    });
  });

  it('that only a build needs are not asked for when nothing is built', async () => {
    await install('chromium');
    await requirePackages({ build: false, say: assert.fail });
  });

  it('need no chromium where another browser of its family is on PATH', async () => {
    await install('google-chrome');
    assert.equal(findBrowser(), path.join(folder, 'google-chrome'));
  });

  it('count a browser that cannot be executed as missing', async function () {
    if (process.platform === 'win32') this.skip();
    await install('chromium', 0o644);
    assert.equal(findBrowser(), undefined);
  });
});
