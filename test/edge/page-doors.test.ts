import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { StartError } from '../../src/base/start-error.js';
import { loginOrigin } from '../../src/edge/login-origins.js';
import { pageDoors } from '../../src/edge/page-doors.js';
import { pagePolicy } from '../../src/edge/page-policy.js';
import { allRestRows } from '../support/graph.js';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'overgraph-page-'));
  writeFileSync(join(folder, 'index.html'), '');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('an application', () => {
  const doorsAt = async (path: string) =>
    pageDoors({
      spas: [{ path, folder }],
      assetOrigins: [],
      rows: await allRestRows(),
      operatorPaths: ['/metrics', '/health-checks/v1'],
      loginOrigins: () => Promise.resolve([]),
    });

  test.each([
    'graphql',
    'graphiql',
    'assets',
    'docs',
    'edge',
    'fabric',
    'console',
    'metrics',
    'health-checks',
    // Old clients leave out the base path of their interface.
    'services',
    'authenticate',
    'version',
  ])('is refused below /%s, which the controller answers', async (segment) => {
    const path = `/${segment}/below`;
    await expect(doorsAt(path)).rejects.toThrow(
      new StartError(
        `OVERGRAPH_SPA names the path "${path}", which the controller itself serves`,
        'choose another path',
      ),
    );
  });

  test('is served at a free path', async () => {
    expect((await doorsAt('/zac')).map(({ route }) => route)).toContain('/zac');
  });
});

describe('the origin of a login page', () => {
  test.each([
    ['https://login.example.com/realms/a?b=c', 'https://login.example.com'],
    ['https://Login.Example.com:443/', 'https://login.example.com'],
    ['https://10.0.0.1:8443', 'https://10.0.0.1:8443'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['https://user:secret@login.example.com', 'https://login.example.com'],
    ['http://login.example.com', undefined],
    ['https://*.example.com', undefined],
    ["https://a;script-src'unsafe-inline'", undefined],
    ['https://a,b', undefined],
    ['https://[::1]:8443', undefined],
    ['javascript:alert(1)', undefined],
    ['blob:https://a.example/1', undefined],
    ['login', undefined],
    ['', undefined],
  ])('of %j is %s', (address, origin) => {
    expect(loginOrigin(address)).toBe(origin);
  });
});

describe('the policy of a page', () => {
  const scripts = (page: string) =>
    /script-src ([^;]*)/.exec(pagePolicy(page)([]))?.[1]?.split(' ');
  /** printf 'go()' | openssl dgst -sha256 -binary | base64 */
  const GO = "'sha256-5KYv+PUboo5h+0+YAtGRPbwv5d/QxzHslP4YGnUaxRw='";
  const COMMENTED = "'sha256-wy5pfhNX/eJiHSNZD7WB0zxFkQxs9cnETv+j0jJHRAE='";

  test.each([
    ['<script>go()</script>', [GO]],
    ['<SCRIPT type="text/javascript" data-a=">">go()</SCRIPT >', [GO]],
    ['<script src="a.js"></script>', []],
    ['<script src="a.js">go()</script>', []],
    ['<!-- <script>go()</script> -->', []],
    ['<script> </script>', []],
    ['<script><!--\ngo()\n--></script>', [COMMENTED]],
    ['<p>go()</p>', []],
  ])('allows for %s: %j', (page, digests) => {
    expect(scripts(page)).toEqual(["'self'", "'unsafe-eval'", ...digests]);
  });

  test('takes images, styles and fonts from further origins, and nothing else', () => {
    const own = pagePolicy('<script>go()</script>')([]).split('; ');
    const further = pagePolicy('<script>go()</script>', ['https://a.example', 'https://b.example']);
    expect(further([]).split('; ')).toEqual(
      own.map((directive) =>
        /^(?:style|img|font)-src /.test(directive)
          ? `${directive} https://a.example https://b.example`
          : directive,
      ),
    );
  });

  test('reads line ends as browsers do', () => {
    expect(scripts('<script>a\r\nb</script>')).toEqual(scripts('<script>a\nb</script>'));
  });

  test.each([
    [`<link onload="go()">`, GO],
    [`<body class='a' onload='go()'>`, GO],
    [`<p>onload="go()"</p>`, "'none'"],
    [`<script>a = '<b onload="go()">'</script>`, "'none'"],
  ])('allows handlers for %s: %s', (page, digest) => {
    expect(/script-src-attr ([^;]*)/.exec(pagePolicy(page)([]))?.[1]?.split(' ').at(-1)).toBe(
      digest,
    );
  });
});
