import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, test } from '@jest/globals';
import type {
  Browser,
  BrowserContextOptions,
  ConsoleMessage,
  Page,
  Request,
} from 'playwright-core';
import {
  ADMIN_PASSWORD,
  startController,
  type ControllerOptions,
  type TestController,
} from '../../support/controller.js';
import type { ClientCertificate } from '../../trust/auth/certificates.js';
import { launchBrowser } from '../chromium.js';

const browser = await launchBrowser();

/** Below the limit of a test, which would not say what it waited for. */
const PATIENCE_MILLIS = 120_000;
if (typeof browser === 'string') process.stderr.write(`skipped: ${browser}\n`);

/** For tests that need a browser: they are skipped where there is none. */
export const inBrowser = typeof browser === 'string' ? describe.skip : describe;

/** A test of the long run alone, in a file whose other tests belong to every run. */
export const longTest: (title: string, run: () => Promise<void>) => void =
  process.env.OVERGRAPH_TEST_LONG === '1' ? test : () => undefined;

/**
 * A page that begins to follow the network at the moment in which its session ends is refused, and asks
 * for a login. The browser reports such a refusal as an error.
 */
const isOfEndedSession = (message: ConsoleMessage): boolean =>
  message.text().includes('401') && message.location().url.endsWith('/graphql/stream');

/** The console of a controller of its own, in a browser. */
class ConsoleInBrowser {
  controller!: Awaited<ReturnType<typeof startController>>;
  page!: Page;
  /** What the browser refused or reported as an error. */
  readonly faults: string[] = [];
  /** The addresses of the files that the browser asked for. */
  readonly files: string[] = [];
  readonly #others: Browser[] = [];
  /** The controller that runs now, where the first one was ended. */
  #successor: TestController | undefined;

  async start(options: ControllerOptions): Promise<void> {
    this.controller = await startController(options);
    if (typeof browser !== 'string') this.page = await this.#openPage(browser);
  }

  async stop(): Promise<void> {
    for (const each of this.#others) await each.close();
    if (typeof browser !== 'string') await browser.close();
    await this.#successor?.stop();
    await this.controller.stop();
  }

  /** Ends the controller; its database and the page stay. */
  async endController(): Promise<void> {
    await (this.#successor ?? this.controller).end();
  }

  /** Starts a controller in the place of one that was ended: on its database, at its address. */
  async startAgain(): Promise<void> {
    await this.#successor?.stop();
    const { port } = this.controller;
    this.#successor = await startController({ port, with: this.controller });
  }

  /** Gives the form of the login a name and a password. */
  async logIn(password: string): Promise<void> {
    await this.page.getByLabel('Name').fill('admin');
    await this.page.getByRole('textbox', { name: 'Password' }).fill(password);
    await this.page.getByRole('button', { name: 'Log in', exact: true }).click();
  }

  /** Logs in, and waits for the first page. */
  async enter(): Promise<void> {
    await this.logIn(ADMIN_PASSWORD);
    await this.page.getByRole('heading', { name: 'Overview', level: 1, exact: true }).waitFor();
  }

  /** Does what makes the page save a file, and gives the content of the file. */
  async saved(save: () => Promise<void>): Promise<Buffer> {
    const [download] = await Promise.all([this.page.waitForEvent('download'), save()]);
    return readFile(await download.path());
  }

  /** Goes on in a browser that has this certificate: another one, since connections are kept. */
  async useCertificate({ cert, key }: ClientCertificate): Promise<void> {
    const other = await launchBrowser();
    if (typeof other === 'string') return;
    this.#others.push(other);
    const bytes = { cert: Buffer.from(cert), key: Buffer.from(key) };
    this.page = await this.#openPage(other, {
      clientCertificates: [{ origin: this.#origin, ...bytes }],
    });
  }

  /** Opens a page by its address. */
  async open(path: string): Promise<void> {
    await this.page.goto(`${this.#origin}/console${path}`);
  }

  /** Opens the draft by a link with its changes. */
  async openDraft(changes: unknown): Promise<void> {
    await this.open(`/draft#${Buffer.from(JSON.stringify(changes)).toString('base64')}`);
  }

  /** Gives the page of the draft an import file. */
  async openFile(name: string, content: string | Buffer): Promise<void> {
    const file = { name, mimeType: 'text/plain', buffer: Buffer.from(content) };
    await this.page.locator('input[type=file]').setInputFiles(file);
  }

  /** Does the second thing while the first one's request for a field of the graph is held. */
  async whileHeld(
    field: string,
    first: () => Promise<void>,
    second: () => Promise<void>,
  ): Promise<void> {
    let letGo = (): void => undefined;
    const isGone = new Promise<void>((resolve) => (letGo = resolve));
    const hasField = (request: Request): boolean => request.postData()?.includes(field) === true;
    await this.page.route(/\/graphql(\/stream)?$/, async (route) => {
      if (hasField(route.request())) await isGone;
      // Playwright gives a request to the holder that came last, even if it came after the request.
      await route.fallback();
    });
    await Promise.all([this.page.waitForRequest(hasField), first()]);
    await second();
    letGo();
  }

  get #origin(): string {
    return `https://127.0.0.1:${String(this.controller.port)}`;
  }

  async #openPage(running: Browser, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await running.newContext({ ignoreHTTPSErrors: true, ...options });
    context.setDefaultTimeout(PATIENCE_MILLIS);
    const page = await context.newPage();
    page.on('console', (message) => {
      if (message.type() !== 'error' || isOfEndedSession(message)) return;
      this.faults.push(`${message.text()} ${message.location().url}`);
    });
    page.on('pageerror', (error) => this.faults.push(error.message));
    page.on('request', (request) => this.files.push(request.url()));
    await page.goto(`${this.#origin}/`);
    return page;
  }
}

/** Starts before the tests of a file, and stops after them. */
export function useConsole(options: ControllerOptions = {}): ConsoleInBrowser {
  const opened = new ConsoleInBrowser();
  beforeAll(() => opened.start(options));
  afterAll(() => opened.stop());
  return opened;
}
