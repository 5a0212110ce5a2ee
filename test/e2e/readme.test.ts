import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ADMIN_PASSWORD, startController, type TestController } from '../support/controller.js';

/** Blocks of the README that are marked as running, in order: one script. */
async function examples(): Promise<string[]> {
  const readme = await readFile('README.md', 'utf8');
  return [...readme.matchAll(/^```sh run\n(.*?)^```$/gms)].map(([, block = '']) => block);
}

const has = (program: string): boolean => {
  try {
    execFileSync(program, [program === 'openssl' ? 'version' : '--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

let controller: TestController & { dataDir: string };
let folder: string;

beforeAll(async () => {
  controller = await startController();
  folder = await mkdtemp(join(tmpdir(), 'overgraph-readme-'));
});

afterAll(async () => {
  await controller.stop();
  await rm(folder, { recursive: true, force: true });
});

const isEquipped = has('curl') && has('jq') && has('openssl');

describe('the README', () => {
  (isEquipped ? it : it.skip)('has examples that run as they stand', async () => {
    const blocks = await examples();
    expect(blocks.length).toBeGreaterThan(5);
    const script = blocks
      .join('\n')
      .replace(/^OG=.*$/m, `OG=https://localhost:${String(controller.port)}`)
      .replace(/^PASSWORD=.*$/m, `PASSWORD='${ADMIN_PASSWORD}'`)
      .replaceAll('npm run --silent overgraph --', 'node dist/src/cli/main.js')
      .replaceAll('network.yaml', join(folder, 'network.yaml'))
      .replaceAll('data/snapshots', join(controller.dataDir, 'snapshots'))
      .replaceAll(/\b(signer|ada|router)\.(key|crt|csr|json)\b|\bca\.pem\b/g, (file) =>
        join(folder, file),
      );
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script]);
    expect(stdout).toContain('"wiki"');
    expect(stdout).toContain('"staff reads the intranet"');
    expect(stdout).toMatch(/\[\s*"MFA"\s*\]/);
    expect(stdout).toMatch(/\[\s*"ca",\s*"cert",\s*"serverCert"\s*\]/);
    expect(stdout).toMatch(/\.snapshot is sound: \d+ rows/);
    expect(stdout).toMatch(/"error": null,\s*"results": \[\]/);
    expect(stdout).toMatch(/^subject= ?CN ?= ?\S+\ntrue$/m);
    expect(stdout).toContain('["ledger",["Dial"],false]');
    expect(stdout).toContain('["INVALID_POSTURE"');
    expect(stdout).toContain('["Dial","berlin"]');
    expect(stdout).toContain('[true,["NONE_ONLINE","NO_TERMINATORS"],"staff keeps the ledger"]');
    expect(stdout).toContain('"domain":"office.example.com"');
    expect(stdout).toContain('[0,[]]\nNOT_FOUND');
    expect(await readFile(join(folder, 'network.yaml'), 'utf8')).toContain('name: wiki');
  });
});
