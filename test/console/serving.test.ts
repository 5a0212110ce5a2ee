import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { request } from 'node:https';
import { OutsideSigner } from '../trust/auth/signers.js';
import { startController, type TestController } from '../support/controller.js';

/** How the controller serves the files of the console. */

let controller: TestController;
const folder = mkdtempSync(join(tmpdir(), 'overgraph-spa-'));
const TILES = 'https://a.tile.example.org';
const SECRET = 'outside of the folder';
const INLINE = 'document.title = "inline";';

/** Writes an application as bundlers do, and links that lead out of it. */
function writeApplication(): string {
  const spa = join(folder, 'spa');
  mkdirSync(join(spa, 'assets/.hidden'), { recursive: true });
  const files = {
    'index.html': `<!-- <script>x</script> --><link rel="x" onload="this.media='all'"><script>${INLINE}</script><script src="main.js"></script>`,
    'frame.html': '<p>frame</p>',
    'main.0123456789abcdef.js': 'main',
    'chunk-QX2ABCD4.js': 'chunk',
    'assets/index-Dk3_a-9Z.css': 'style',
    'assets/jquery-3.6.3.min.js': 'jquery',
    'assets/a b.png': 'image',
    'assets/data.unknown': '<script>',
    'assets/.env': SECRET,
    'assets/.hidden/key': SECRET,
    '../secret.txt': SECRET,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(spa, name), text);
  writeFileSync(join(spa, 'chunk-QX2ABCD4.js.gz'), gzipSync('chunk'));
  symlinkSync(join(folder, 'secret.txt'), join(spa, 'assets/link.txt'));
  symlinkSync(folder, join(spa, 'assets/up'));
  return spa;
}

beforeAll(async () => {
  const env = {
    OVERGRAPH_SPA: `/zac/=${writeApplication()},/apps/second=${join(folder, 'spa')}`,
    OVERGRAPH_SPA_ORIGINS: TILES,
  };
  controller = await startController({ env });
});
afterAll(async () => {
  await controller.stop();
  rmSync(folder, { recursive: true });
});

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const script = readdirSync('dist/console/assets').find((name) => /^index-.*\.js$/.test(name)) ?? '';

describe('the address /', () => {
  test.each(['GET', 'HEAD'])('leads a browser to the console (%s)', async (method) => {
    const { status, headers } = await controller.send(method, '/', { headers: BROWSER });
    expect([status, headers.location]).toEqual([302, '/console/']);
  });

  test.each(['application/json', '*/*', undefined])('does not for Accept: %s', async (accept) => {
    const { status, headers } = await controller.send('GET', '/', {
      headers: accept === undefined ? {} : { accept },
    });
    expect([status, headers['content-type']]).toEqual([200, 'application/json']);
  });
});

describe('the page', () => {
  test.each([
    '/console',
    '/console/',
    '/console?a=1',
    '/console/entities/services/x',
    '/console/index.html',
  ])('is at %s, and no cache keeps it', async (path) => {
    const { status, headers, text } = await controller.send('GET', path);
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-store',
    ]);
    expect(text).toContain('<div id="page">');
  });

  test('runs its own scripts alone, and no inline ones', async () => {
    const { headers, text } = await controller.send('GET', '/console/');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(text).not.toMatch(/https?:\/\/|<script(?![^>]* src=)|<style| style=| on\w+=/);
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  test('may ask the login pages of enabled signers, and of no others', async () => {
    const policyOf = async (path: string) => {
      const { headers } = await controller.send('GET', path);
      return /connect-src [^;]*/.exec(String(headers['content-security-policy']))?.[0];
    };
    const signers: [string, string][] = [
      ['a', 'https://b.example/realm'],
      ['b', 'https://a.example:8443'],
      ['c', 'https://b.example/other'],
      ['d', "https://x.example;script-src'unsafe-inline'"],
      ['e', 'http://plain.example'],
    ];
    const ids = await Promise.all(
      signers.map(async ([name, externalAuthUrl]) => {
        const { settings } = await OutsideSigner.create(name);
        return controller.create('external-jwt-signers', { ...settings, externalAuthUrl });
      }),
    );
    const origins = "connect-src 'self' https://a.example:8443 https://b.example";
    await expect(policyOf('/console/')).resolves.toBe(origins);
    await expect(policyOf('/zac/')).resolves.toBe(origins);
    await controller.rest('PATCH', `/external-jwt-signers/${ids[1] ?? ''}`, { enabled: false });
    await expect(policyOf('/console/')).resolves.toBe("connect-src 'self' https://b.example");
    for (const id of ids) await controller.rest('DELETE', `/external-jwt-signers/${id}`);
    await expect(policyOf('/console/')).resolves.toBe("connect-src 'self'");
  });

  test('has a nonce of its own in each answer', async () => {
    const nonces = new Set<string>();
    for (let i = 0; i < 3; i += 1) {
      const { headers, text } = await controller.send('GET', '/console/');
      const [, nonce = ''] =
        /'nonce-([^']+)'/.exec(String(headers['content-security-policy'])) ?? [];
      expect(Buffer.from(nonce, 'base64')).toHaveLength(16);
      expect(text).toContain(`content="${nonce}"`);
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(3);
  });
});

describe('a file', () => {
  const path = `/console/assets/${script}`;
  const plain = readFileSync(`dist/console/assets/${script}`);

  test('is kept by caches for ever', async () => {
    const { status, headers, text } = await controller.send('GET', path);
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
    ]);
    expect(Buffer.from(text)).toEqual(plain);
  });

  test('has no body for HEAD, but its length', async () => {
    const { headers, text } = await controller.send('HEAD', path);
    expect([text, headers['content-length']]).toEqual(['', String(plain.length)]);
  });

  test.each<[string, string | undefined, (bytes: Buffer) => Buffer]>([
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0, GZIP;q=0.5', 'gzip', gunzipSync],
    ['identity', undefined, (bytes) => bytes],
    ['brotli', undefined, (bytes) => bytes],
  ])('is compressed for Accept-Encoding: %s', async (accepted, encoding, unpack) => {
    const { headers, body } = await bytesOf(path, accepted);
    expect([headers['content-encoding'], headers.vary]).toEqual([encoding, 'accept-encoding']);
    expect(unpack(body)).toEqual(plain);
  });

  test('the page and all that it loads at first weigh less than 400 kB', async () => {
    const page = readFileSync('dist/console/index.html', 'utf8');
    const first = [...page.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+\.(?:js|css))"/g)];
    const files = first.map(([, file = '']) => bytesOf(file, 'gzip'));
    const sizes = (await Promise.all(files)).map(({ body }) => body.length);
    expect(sizes.length).toBeGreaterThan(1);
    expect(sizes.reduce((a, b) => a + b)).toBeLessThan(400_000);
  });
});

describe('no request reaches another file', () => {
  test.each([
    'assets/nothing.js',
    'assets/..%2f..%2f..%2fpackage.json',
    'assets/../../package.json',
    'assets/',
  ])('%s is unknown', async (path) => {
    expect((await controller.send('GET', `/console/${path}`)).status).toBe(404);
  });

  test.each([
    '..%2f..%2fpackage.json',
    '../../package.json',
    '%2e%2e/package.json',
    '.sources-digest',
  ])('%s is the page', async (path) => {
    const { status, text } = await controller.send('GET', `/console/${path}`);
    expect(status).toBe(200);
    expect(text).toContain('<div id="page">');
  });

  test('nothing is written', async () => {
    const { status, headers } = await controller.send('POST', '/console/');
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});

describe('an application of others', () => {
  test.each([
    ['/zac', '/zac/'],
    ['/zac?code=a%20b&state=1', '/zac/?code=a%20b&state=1'],
    ['/apps/second', '/apps/second/'],
  ])('%s leads to %s, since its addresses are relative', async (path, location) => {
    const { status, headers } = await controller.send('GET', path);
    expect([status, headers.location]).toEqual([302, location]);
  });

  test.each(['/zac/', '/zac/index.html', '/zac/identities/x?a=1', '/zac/%2e%2e', '/apps/second/a'])(
    'has its page at %s, and caches ask for it again',
    async (path) => {
      const { status, headers, text } = await controller.send('GET', path);
      expect([status, headers['content-type'], headers['cache-control']]).toEqual([
        200,
        'text/html; charset=utf-8',
        'no-cache',
      ]);
      expect(text).toContain(INLINE);
    },
  );

  test('runs its own scripts and the inline ones of its page, and no others', async () => {
    const { headers } = await controller.send('GET', '/zac/');
    const policy = String(headers['content-security-policy']).split('; ');
    const digest = (text: string) =>
      `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    expect(policy).toContain(`script-src 'self' 'unsafe-eval' ${digest(INLINE)}`);
    expect(policy).toContain(`script-src-attr 'unsafe-hashes' ${digest("this.media='all'")}`);
    expect(policy).toEqual(
      expect.arrayContaining(["default-src 'self'", "connect-src 'self'", "object-src 'none'"]),
    );
    for (const directive of [
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data: blob:",
      "font-src 'self' data:",
    ]) {
      expect(policy).toContain(`${directive} ${TILES}`);
    }
    // Servers of maps ask for the origin of the page.
    expect(headers['referrer-policy']).toBe('strict-origin');
    const frame = await controller.send('GET', '/zac/frame.html');
    expect(frame.headers['content-security-policy']).toContain(
      "script-src 'self' 'unsafe-eval'; script-src-attr 'none'",
    );
  });

  test.each([
    ['main.0123456789abcdef.js', 'text/javascript; charset=utf-8', true],
    ['chunk-QX2ABCD4.js', 'text/javascript; charset=utf-8', true],
    ['assets/index-Dk3_a-9Z.css', 'text/css; charset=utf-8', true],
    ['assets/jquery-3.6.3.min.js', 'text/javascript; charset=utf-8', false],
    ['assets/a%20b.png', 'image/png', false],
    ['assets/data.unknown', 'application/octet-stream', false],
  ])('%s is %s, kept for ever: %s', async (name, type, isKept) => {
    const { status, headers } = await controller.send('HEAD', `/zac/${name}`);
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      type,
      isKept ? 'public, max-age=31536000, immutable' : 'no-cache',
    ]);
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  test('sends a file again only when it has changed', async () => {
    const path = '/zac/assets/jquery-3.6.3.min.js';
    const { headers } = await controller.send('GET', path);
    const again = (tag: string) =>
      controller.send('GET', path, { headers: { 'if-none-match': tag } });
    expect((await again(String(headers.etag))).status).toBe(304);
    expect((await again('W/"other"')).text).toBe('jquery');
  });

  test('sends compressed forms where there are some', async () => {
    const packed = await bytesOf('/zac/chunk-QX2ABCD4.js', 'gzip, br');
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(packed.body).toString()).toBe('chunk');
    expect((await controller.send('GET', '/zac/chunk-QX2ABCD4.js.gz')).status).toBe(404);
  });

  test.each([
    'missing.js',
    'assets/.env',
    'assets/.hidden/key',
    'assets/link.txt',
    'assets/up/secret.txt',
    '../secret.txt',
    '..%2fsecret.txt',
    '%2e%2e/secret.txt',
    'assets/..%5c..%5csecret.txt',
    '%c0%ae%c0%ae/secret.txt',
    '%00.txt',
  ])('does not give %s', async (name) => {
    const { text } = await controller.send('GET', `/zac/${name}`);
    expect(text).not.toContain(SECRET);
    if (/\.(js|txt)$/.test(name)) {
      expect((await controller.send('GET', `/zac/${name}`)).status).toBe(404);
    }
  });

  test('takes no other paths, and no writes', async () => {
    const { status, headers } = await controller.send('POST', '/zac/');
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
    expect((await controller.send('GET', '/zaccaria')).status).toBe(404);
  });
});

/** The bytes as they are sent. */
function bytesOf(path: string, accepted: string) {
  type Received = { headers: Record<string, string | string[] | undefined>; body: Buffer };
  return new Promise<Received>((resolve, reject) => {
    request(
      {
        host: '127.0.0.1',
        port: controller.port,
        path,
        rejectUnauthorized: false,
        headers: { 'accept-encoding': accepted },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          resolve({ headers: response.headers, body: Buffer.concat(chunks) });
        });
      },
    )
      .on('error', reject)
      .end();
  });
}
