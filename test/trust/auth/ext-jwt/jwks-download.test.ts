import { describe, expect, it, test } from '@jest/globals';
import type { LookupAddress } from 'node:dns';
import type { RequestListener, ServerResponse } from 'node:http';
import { makeRoot, makeServer } from '../../pki/support.js';
import { freePort, next, oldSet, serve, setOf, setUp } from './key-server.js';
import { jwkOf } from './support.js';

const redirect = (response: ServerResponse, location: string, status = 302): void => {
  response.writeHead(status, { location }).end();
};
const resolvesTo = (...addresses: string[]) => {
  const asked: string[] = [];
  const resolve = (host: string): Promise<LookupAddress[]> => {
    asked.push(host);
    return Promise.resolve(
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return { asked, resolve };
};

describe('an endpoint', () => {
  it.each<[string, RequestListener, string]>([
    ['answers 500', (_, r) => r.writeHead(500).end(oldSet), 'answered with status 500'],
    ['answers 404', (_, r) => r.writeHead(404).end(oldSet), 'answered with status 404'],
    ['answers 204', (_, r) => r.writeHead(204).end(), 'answered with status 204'],
    [
      'answers a page',
      (_, r) => r.end('<html>Sign in</html>'),
      'answered with something else than a key set',
    ],
    [
      'answers garbage',
      (_, r) => r.end(Buffer.alloc(1000, 0xfe)),
      'answered with something else than a key set',
    ],
    ['answers nothing', (_, r) => r.end(), 'answered with something else than a key set'],
    [
      'answers half a set',
      (_, r) => r.end(oldSet.slice(0, -5)),
      'answered with something else than a key set',
    ],
    [
      'answers brackets without end',
      (_, r) => r.end('['.repeat(200_000)),
      'answered with something else than a key set',
    ],
    ['hangs up', (_, r) => r.socket?.destroy(), 'the connection failed'],
    [
      'hangs up in the middle',
      (_, r) => {
        r.writeHead(200, { 'content-length': '1000' }).write(oldSet, () => r.socket?.destroy());
      },
      'the connection failed',
    ],
    [
      'does not speak HTTP',
      (_, r) => r.socket?.end('SSH-2.0-OpenSSH_9.6\r\n'),
      'the connection failed',
    ],
  ])('that %s gives no keys', async (_, answer, reason) => {
    const server = await serve(answer);
    const { find, faults } = setUp();
    expect(await find(`${server.url}/keys`, 'old')).toBeUndefined();
    expect(faults).toEqual([`${server.url}/keys ${reason}`]);
  });

  it.each<[string, RequestListener]>([
    ['never answers', () => undefined],
    [
      'stops in the middle',
      (_, r) => {
        r.writeHead(200).write(oldSet.slice(0, 10));
      },
    ],
    [
      'sends one byte after the other',
      (_, r) => {
        const timer = setInterval(() => r.write(' '), 5);
        r.on('close', () => {
          clearInterval(timer);
        });
      },
    ],
    [
      'redirects and then never answers',
      (request, r) => {
        if (request.url === '/') redirect(r, '/more');
      },
    ],
    [
      'wants another protocol',
      (_, r) =>
        r.socket?.write(
          'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
        ),
    ],
  ])('that %s is given up after the time for all of it', async (_, answer) => {
    const server = await serve(answer);
    const { find, reasons, time } = setUp({ timeoutMs: 80 });
    const began = performance.now();
    expect(await find(server.url, 'old')).toBeUndefined();
    expect(performance.now() - began).toBeLessThan(1000);
    expect(reasons()).toEqual(['no complete answer in time']);
    // The next one who asks is not held up by it.
    time.now += 1000;
    await find(server.url, 'old');
    expect(reasons()).toHaveLength(2);
  });

  it('whose name is never resolved is given up in time as well', async () => {
    const { find, reasons } = setUp({ timeoutMs: 50, resolve: () => new Promise(() => undefined) });
    expect(await find('http://idp.example.com/', 'old')).toBeUndefined();
    expect(reasons()).toEqual(['no complete answer in time']);
  });

  it('whose name can not be resolved gives no keys', async () => {
    const refusing = setUp({ resolve: () => Promise.reject(new Error('ENOTFOUND')) });
    expect(await refusing.find('http://idp.example.com/', 'old')).toBeUndefined();
    expect(refusing.reasons()).toEqual(['the connection failed']);
    const empty = setUp({ resolve: () => Promise.resolve([]) });
    expect(await empty.find('http://idp.example.com/', 'old')).toBeUndefined();
    expect(empty.reasons()).toEqual(['the host has no address']);
  });

  it('at which nobody listens gives no keys', async () => {
    const { find, reasons } = setUp();
    const endpoint = `http://127.0.0.1:${await freePort()}/`;
    expect(await find(endpoint, 'old')).toBeUndefined();
    expect(reasons()).toEqual(['the connection failed']);
  });

  it.each([true, false])('of 100 MB is left early (length told: %j)', async (told) => {
    const total = 100 * 1024 * 1024;
    const chunk = Buffer.alloc(64 * 1024, ' ');
    let sent = 0;
    const server = await serve((_, response) => {
      if (told) response.writeHead(200, { 'content-length': String(total) });
      const send = (): void => {
        while (sent < total && !response.destroyed) {
          sent += chunk.length;
          if (!response.write(chunk)) {
            response.once('drain', send);
            return;
          }
        }
      };
      send();
    });
    const { find, reasons } = setUp();
    expect(await find(server.url, 'old')).toBeUndefined();
    expect(reasons()).toEqual(['answered with more than 262144 bytes']);
    // The rest is what the buffers of both sides hold.
    expect(sent).toBeLessThan(total / 4);
  });

  it('may send 256 KiB', async () => {
    const padded = oldSet.padEnd(256 * 1024, ' ');
    let text = padded;
    const server = await serve((_, response) => response.end(text));
    const { find, time } = setUp();
    expect(await find(server.url, 'old')).toBeDefined();
    text = `${setOf(jwkOf('next', next)).padEnd(256 * 1024, ' ')} `;
    time.now += 1000;
    expect(await find(server.url, 'next')).toBeUndefined();
  });

  it('shows neither credentials nor query in a complaint', async () => {
    const server = await serve((_, response) => response.writeHead(403).end());
    const { find, faults } = setUp();
    await find(`http://user:secret@127.0.0.1:${server.port}/k?key=secret#secret`, 'old');
    expect(faults).toEqual([`${server.url}/k answered with status 403`]);
  });

  it.each(['ftp://127.0.0.1/', 'file:///etc/passwd', 'data:,{"keys":[]}', 'nowhere', ''])(
    'at %j is not asked',
    async (endpoint) => {
      const { find, reasons } = setUp();
      expect(await find(endpoint, 'old')).toBeUndefined();
      expect(reasons()).toEqual(['neither an http nor an https URL']);
    },
  );

  it('is asked for JSON, in one request of a connection that ends', async () => {
    const heads: unknown[] = [];
    const server = await serve((request, response) => {
      heads.push([request.method, request.headers.accept, request.headers.connection]);
      response.end(oldSet);
    });
    const { find } = setUp();
    await find(server.url, 'old');
    expect(heads).toEqual([['GET', 'application/jwk-set+json, application/json', 'close']]);
  });
});

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])('by %d is followed', async (status) => {
    const server = await serve((request, response) => {
      if (request.url === '/keys') redirect(response, '../moved?to=here', status);
      else response.end(oldSet);
    });
    const { find } = setUp();
    expect(await find(`${server.url}/keys`, 'old')).toBeDefined();
    expect(server.asked).toEqual(['/keys', '/moved?to=here']);
  });

  test.each([300, 304, 305, 306])('by %d is none', async (status) => {
    const server = await serve((_, response) => {
      redirect(response, '/moved', status);
    });
    const { find, reasons } = setUp();
    expect(await find(server.url, 'old')).toBeUndefined();
    expect(reasons()).toEqual([`answered with status ${status}`]);
  });

  it('is followed five times and no more', async () => {
    const server = await serve((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left > 0) redirect(response, `/${left - 1}`);
      else response.end(oldSet);
    });
    const { find, reasons } = setUp();
    expect(await find(`${server.url}/5`, 'old')).toBeDefined();
    expect(await find(`${server.url}/6`, 'old')).toBeUndefined();
    expect(reasons()).toEqual(['more than 5 redirects']);
    expect(server.asked).toHaveLength(12);
  });

  it('in a circle ends', async () => {
    const server = await serve((_, response) => {
      redirect(response, '/');
    });
    const { find, reasons } = setUp();
    expect(await find(server.url, 'old')).toBeUndefined();
    expect(reasons()).toEqual(['more than 5 redirects']);
    expect(server.asked).toHaveLength(6);
  });

  test.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://2852039166/',
    'http://[::ffff:169.254.169.254]/',
    'http://[fd00:ec2::254]/',
    'http://metadata.google.internal/',
    'http://100.100.100.200/',
    'http://0.0.0.0/',
    '//[fe80::1]/',
  ])('to %s is refused, even where private addresses are allowed', async (location) => {
    const server = await serve((_, response) => {
      redirect(response, location);
    });
    const { find, reasons } = setUp();
    expect(await find(server.url, 'old')).toBeUndefined();
    expect(reasons()).toEqual(['the address is not allowed']);
  });

  it('to a name of a metadata address is refused', async () => {
    const server = await serve((_, response) => {
      redirect(response, 'http://innocent.example.com/');
    });
    const { asked, resolve } = resolvesTo('169.254.169.254');
    const { find, reasons } = setUp({ resolve });
    expect(await find(server.url, 'old')).toBeUndefined();
    expect(asked).toEqual(['innocent.example.com']);
    expect(reasons()).toEqual(['the address is not allowed']);
  });

  test.each(['ftp://127.0.0.1/', 'file:///etc/passwd', 'javascript:0', 'http://[', 'http://'])(
    'to %s is refused',
    async (location) => {
      const server = await serve((_, response) => {
        redirect(response, location);
      });
      const { find, reasons } = setUp();
      expect(await find(server.url, 'old')).toBeUndefined();
      expect(reasons()).toEqual(['neither an http nor an https URL']);
    },
  );
});

describe('the address of an endpoint', () => {
  const MAPPED = ['::ffff:127.0.0.1', '::ffff:7f00:1', '64:ff9b::7f00:1'];

  test.each(['127.0.0.1', '10.0.0.1', '192.168.1.1', '100.64.0.1', '::1', 'fd00::1', ...MAPPED])(
    '%s is refused unless private ones are allowed, by name and as it is',
    async (address) => {
      const { resolve } = resolvesTo(address);
      const { find, reasons } = setUp({ resolve, allowPrivate: false });
      const literal = address.includes(':') ? `[${address}]` : address;
      await find('http://idp.example.com/', 'old');
      await find(`http://${literal}/`, 'old');
      expect(reasons()).toEqual(['the address is not allowed', 'the address is not allowed']);
    },
  );

  test.each(['169.254.169.254', '224.0.0.1', '0.0.0.0', '::', 'fe80::1', '::ffff:a9fe:a9fe'])(
    '%s is refused always',
    async (address) => {
      const { resolve } = resolvesTo(address);
      const { find, reasons } = setUp({ resolve });
      await find('http://idp.example.com/', 'old');
      expect(reasons()).toEqual(['the address is not allowed']);
    },
  );

  it('is refused when one among several is', async () => {
    const { resolve } = resolvesTo('8.8.8.8', '169.254.169.254');
    const { find, reasons } = setUp({ resolve });
    await find('http://idp.example.com/', 'old');
    expect(reasons()).toEqual(['the address is not allowed']);
  });

  it('is resolved once, and the one that was checked is connected to', async () => {
    const server = await serve((request, response) => {
      response.end(request.headers.host === `idp.example.com:${server.port}` ? oldSet : '');
    });
    const answers = [['127.0.0.1'], ['169.254.169.254']];
    let lookups = 0;
    const { find } = setUp({
      resolve: () =>
        Promise.resolve((answers[lookups++] ?? []).map((address) => ({ address, family: 4 }))),
    });
    expect(await find(`http://idp.example.com:${server.port}/`, 'old')).toBeDefined();
    expect(lookups).toBe(1);
  });

  it('is found by the resolver of the system', async () => {
    const server = await serve((_, response) => response.end(oldSet));
    const endpoint = `http://localhost:${server.port}/`;
    expect(await setUp().find(endpoint, 'old')).toBeDefined();
    const strict = setUp({ allowPrivate: false });
    expect(await strict.find(endpoint, 'old')).toBeUndefined();
    expect(strict.reasons()).toEqual(['the address is not allowed']);
  });
});

describe('an HTTPS endpoint', () => {
  async function serveTls(answer: RequestListener) {
    const root = await makeRoot('P-256', 'test', new Date());
    const { cert, privateKey } = await makeServer(root, 'P-256', 'idp.example.com', new Date());
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const server = await serve(answer, { cert: cert.toString(), key });
    return { server, ca: root.cert.toString(), ...resolvesTo('127.0.0.1') };
  }

  it('is held against its authority and its name', async () => {
    const { server, ca, resolve } = await serveTls((_, response) => response.end(oldSet));
    const endpoint = `https://idp.example.com:${server.port}/`;
    expect(await setUp({ ca, resolve }).find(endpoint, 'old')).toBeDefined();
    const stranger = setUp({ resolve });
    expect(await stranger.find(endpoint, 'old')).toBeUndefined();
    const misnamed = setUp({ ca, resolve });
    const other = `https://other.example.com:${server.port}/`;
    expect(await misnamed.find(other, 'old')).toBeUndefined();
    expect([...stranger.reasons(), ...misnamed.reasons()]).toEqual([
      'the connection failed',
      'the connection failed',
    ]);
  });

  it('does not lead to a plain one', async () => {
    const plain = await serve((_, response) => response.end(oldSet));
    const { server, ca, resolve } = await serveTls((_, response) => {
      redirect(response, plain.url);
    });
    const { find, reasons } = setUp({ ca, resolve });
    await find(`https://idp.example.com:${server.port}/`, 'old');
    expect(reasons()).toEqual(['redirected from https to http']);
    expect(plain.asked).toEqual([]);
  });
});
