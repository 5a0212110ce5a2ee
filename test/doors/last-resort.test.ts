import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import { restHandler, type RestRow } from '../../rest-compat/index.js';
import { refuse } from '../../src/graph/server/server-admit.js';
import { invalidField } from '../../src/base/errors.js';
import { answerAnyway } from '../../src/base/last-resort.js';
import { OPEN } from '../../src/kernel/declare/permissions.js';
import { InProcess } from '../support/in-process.js';

/** Answers that can not be made: the client gets 500 without a body, and the process goes on. */

let controller: InProcess;
const ends: (() => void)[] = [];

beforeAll(async () => {
  controller = await InProcess.start();
});
afterAll(() => controller.stop());
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

async function answerOf(url: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(url);
  return { status: answer.status, text: await answer.text() };
}

/** No text says it: JSON has no such numbers. */
const unspeakable = (): never => {
  throw invalidField('number', 'is refused', 1n);
};

const ROW: RestRow = {
  on: ['client'],
  method: 'GET',
  path: '/unspeakable',
  operationId: 'unspeakable',
  tag: 'test',
  summary: 'Refuses a value that can not be shown.',
  permission: OPEN,
  document: 'query { result: version { version } }',
  variables: unspeakable,
  status: 200,
  errors: [400],
  answer: { kind: 'empty' },
};

describe('a refusal that can not be written', () => {
  test('is 500 without a body at the REST door, and told to the log', async () => {
    const unexpected: unknown[] = [];
    const handle = restHandler([ROW], controller.parts.executor, controller.catalog, {
      contexts: controller.parts.contexts,
      onUnexpected: (error) => unexpected.push(error),
    });
    const origin = await serving((request, response) => void handle(request, response));
    expect(await answerOf(`${origin}/unspeakable`)).toStrictEqual({ status: 500, text: '' });
    expect(unexpected).toStrictEqual([expect.any(TypeError)]);
  });

  test('is 500 without a body at the graph', async () => {
    const app = express().use((_, response) => {
      refuse(response, invalidField('number', 'is refused', 1n), () => undefined);
    });
    const origin = await serving(app as RequestListener);
    expect(await answerOf(origin)).toStrictEqual({ status: 500, text: '' });
  });
});

describe('the last resort', () => {
  test('ends the connection of an answer that has begun', async () => {
    const origin = await serving((_, response) => {
      response.writeHead(200, { 'content-length': 10 });
      response.write('half');
      answerAnyway(response);
    });
    await expect(answerOf(origin)).rejects.toThrow();
  });

  test('leaves an answer alone that is complete', async () => {
    const origin = await serving((_, response) => {
      response.end('whole');
      answerAnyway(response);
    });
    expect(await answerOf(origin)).toStrictEqual({ status: 200, text: 'whole' });
  });
});
