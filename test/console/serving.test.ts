import { readdirSync, readFileSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { request } from 'node:https';
import { startController, type TestController } from '../support/controller.js';

/** How the controller serves the files of the console. */

let controller: TestController;

beforeAll(async () => {
  controller = await startController();
});
afterAll(() => controller.stop());

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

  test('all together weigh less than 400 kB', () => {
    const folder = 'dist/console/assets';
    const sizes = readdirSync(folder)
      .filter((name) => name.endsWith('.gz'))
      .map((name) => readFileSync(`${folder}/${name}`).length);
    expect(sizes.length).toBeGreaterThan(2);
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
