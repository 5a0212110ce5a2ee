import type { Browser } from 'playwright-core';

/** Switches of the package with which pages may do what they may not do in the browsers of people. */
const LAX = ['--disable-web-security', '--allow-running-insecure-content'];

/**
 * Starts a browser: that of OVERGRAPH_CHROMIUM, else the one of a package, which has a browser for Linux
 * alone. Gives the reason where there is none.
 */
export async function launchBrowser(): Promise<Browser | string> {
  const own = process.env.OVERGRAPH_CHROMIUM;
  const isSupported = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);
  if (own === undefined && !isSupported) {
    return 'no browser on this platform: OVERGRAPH_CHROMIUM names one';
  }
  const { chromium } = await import('playwright-core');
  if (own !== undefined) {
    return chromium.launch({ executablePath: own, args: ['--no-sandbox'] });
  }
  // With these the package unpacks the libraries that a bare machine lacks, too.
  process.env.AWS_EXECUTION_ENV ??= 'AWS_Lambda_nodejs22.x';
  process.env.AWS_LAMBDA_JS_RUNTIME ??= 'nodejs22.x';
  const { default: packed } = await import('@sparticuz/chromium');
  const args = packed.args.filter((each) => !LAX.includes(each));
  return chromium.launch({ executablePath: await packed.executablePath(), args });
}
