import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ADMIN_PASSWORD, startController, type TestController } from '../support/controller.js';
import { blocksOf, RUNNING_PAGES } from './page-blocks.js';

/** Blocks of the documents that are marked as running, in order: one script. */
const examples = (): Promise<string[]> => blocksOf('sh run', RUNNING_PAGES);

/** Blocks of the documents that show what examples print. */
const outputs = (): Promise<string[]> => blocksOf('text', RUNNING_PAGES);

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
  folder = await mkdtemp(join(tmpdir(), 'overgraph-examples-'));
});

afterAll(async () => {
  await controller.stop();
  await rm(folder, { recursive: true, force: true });
});

const isEquipped = has('curl') && has('jq') && has('openssl');

describe('the documents', () => {
  (isEquipped ? it : it.skip)('have examples that run as they stand', async () => {
    const blocks = await examples();
    const shown = await outputs();
    expect(blocks.length).toBeGreaterThan(5);
    const script = blocks
      .join('\n')
      .replace(/^OG=.*$/m, `OG=https://localhost:${String(controller.port)}`)
      .replace(/^PASSWORD=.*$/m, `PASSWORD='${ADMIN_PASSWORD}'`)
      .replaceAll('npm run --silent overgraph --', 'node dist/program/overgraph.js')
      .replaceAll(
        /\b(network\.yaml|what-if\.json|findings\.json|people(?:-today)?\.json)/g,
        (file) => join(folder, file),
      )
      .replaceAll('data/snapshots', join(controller.dataDir, 'snapshots'))
      .replaceAll(/\b(signer|ada|router)\.(key|crt|csr|json)\b|\bca\.pem\b/g, (file) =>
        join(folder, file),
      );
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script]);
    // An answer without the data that an example shows.
    expect(stdout).not.toMatch(/^null$/m);
    expect(stdout).toContain('"wiki"');
    expect(stdout).toContain('"staff reads the intranet"');
    expect(stdout).toContain('[1,false]\n');
    expect(stdout).toContain(
      '{"services":{"nodes":[{"name":"wiki"}]}}\n{"services":{"nodes":[{"name":"wiki"}]}}\n',
    );
    expect(stdout).toContain('["REVISION_CONFLICT",412]');
    expect(stdout).toMatch(/"__typename":"Service","nodeId":"\w+","name":"wiki"\}/);
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
    expect(stdout).toContain('authorization_pending\nBearer\n');
    expect(stdout).toMatch(
      /^identityId,identity,serviceId,service,type\r?\n[^,]+,ada,[^,]+,wiki,Dial\r?$/m,
    );
    expect(stdout).toContain('[0,1,true]');
    expect(stdout).toMatch(/^"ada" may dial "wiki"(?!, but can not now).*by the policies$/m);
    expect(stdout).toMatch(/^ada +staff reads the intranet \(#staff to #intranet\)$/m);
    expect(stdout).toMatch(
      /^the books stay inside +no +MUST_NEVER_REACH +Dial +#field +#finance$/m,
    );
    expect(stdout).toMatch(/^Access lost: \d+$/m);
    expect(stdout).toMatch(/Z {2}[0-9a-f]{36} {2}\w+ \w+ .* by "admin": (gained|lost) \d+: /);
    expect(shown.length).toBeGreaterThan(0);
    for (const output of shown) expect(stdout).toContain(output);
    expect(stdout).toContain('["MEDIUM","SERVICE_NOBODY_HOSTS","meters"]');
    expect(stdout).toMatch(
      /^Nothing new was found\.\n[^]*SERVICE_NOBODY_DIALS +[0-9a-f]{20} +.*"payroll"\.$[^]*\n2 new findings\.\nThat was 1\.$/m,
    );
    expect(stdout).toMatch(/^[0-9a-f]{20} is muted until 2999-03-01T00:00:00\.000Z\.$/m);
    expect(stdout).toMatch(/"payroll"\. Muted by "admin" until 2999.*: opens in spring$/m);
    expect(stdout).toContain('["opens in spring","2999-03-01T00:00:00.000Z","admin"]');
    expect(stdout).toMatch(/^[0-9a-f]{20} is no longer muted\.$/m);
    expect(stdout).toMatch(/\["ACCESS_RULE_VIOLATED".*the books stay inside/);
    expect(stdout).toContain('["delete","servicePolicy",1]\n["staff reads the intranet",[]]\n');
    expect(stdout).toContain('["ServicePolicy","create","the audit of May"]');
    expect(stdout).toMatch(
      /\{"id":"[0-9a-f]{36}","type":"Service","operation":"create","entityId":/,
    );
    expect(stdout).toContain('[0,[]]\nNOT_FOUND');
    expect(stdout).toContain('[true,"serving","database.read"');
    expect(stdout).toMatch(/^\{"data":\{"healthy":true\}/m);
    expect(stdout).toMatch(/^overgraph_sessions\{kind="api"\} [1-9]/m);
    expect(stdout).toContain(
      '"apis":["edge","edge-client","edge-management","fabric","health-checks"]',
    );
    expect(await readFile(join(folder, 'network.yaml'), 'utf8')).toContain('name: wiki');
  });
});
