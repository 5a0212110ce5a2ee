import { describe, expect, it } from '@jest/globals';
import { chmod, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../../../src/base/start-error.js';
import { load, makeRoot, makeServer, pemFiles, temporaryFolder } from './support.js';

/** Windows has no such modes. */
const suite = process.platform === 'win32' ? describe.skip : describe;

suite('a key file of the directory', () => {
  it.each(['root.key', 'signer.key', 'server.key', 'secret.key'])(
    'is refused when %s is open to others, with mode and cure',
    async (file) => {
      const directory = await temporaryFolder();
      await load(directory);
      const path = join(directory, file);
      for (const [mode, shown] of [
        [0o644, '0644'],
        [0o640, '0640'],
        [0o620, '0620'],
        [0o602, '0602'],
      ] as const) {
        await chmod(path, mode);
        const attempt = load(directory);
        await expect(attempt).rejects.toThrow(StartError);
        await expect(attempt).rejects.toThrow(`${path} holds a secret`);
        await expect(attempt).rejects.toThrow(`(mode ${shown}): run "chmod 600 ${path}"`);
        await expect(attempt).rejects.toThrow('OVERGRAPH_ALLOW_OPEN_KEY_FILES');
      }
      // Refused, not mended: whoever could read it may have done so.
      expect((await stat(path)).mode & 0o777).toBe(0o602);
    },
  );

  it.each([0o600, 0o400, 0o700])('is taken with mode %i', async (mode) => {
    const directory = await temporaryFolder();
    await load(directory);
    await chmod(join(directory, 'signer.key'), mode);
    await expect(load(directory)).resolves.toBeDefined();
  });

  it('is told apart from certificates, which everybody may read', async () => {
    const directory = await temporaryFolder();
    await load(directory);
    for (const name of ['root', 'signer', 'server']) {
      await chmod(join(directory, `${name}.pem`), 0o644);
    }
    await expect(load(directory)).resolves.toBeDefined();
  });

  it('is taken as it is where that is allowed, and so is its directory', async () => {
    const directory = await temporaryFolder();
    const before = await load(directory);
    await chmod(join(directory, 'signer.key'), 0o640);
    await chmod(directory, 0o750);
    const { rootFingerprint } = await load(directory, { allowOpenKeyFiles: true });
    expect(rootFingerprint).toBe(before.rootFingerprint);
    expect((await stat(directory)).mode & 0o777).toBe(0o750);
  });
});

suite('a configured key file', () => {
  const files = async () => {
    const signer = await makeRoot('P-256');
    const server = await makeServer(signer, 'P-256');
    return pemFiles({
      tlsCert: [server.cert, signer.cert],
      tlsKey: server.privateKey,
      signerCert: [signer.cert],
      signerKey: signer.privateKey,
    });
  };

  it.each(['tlsKey', 'signerKey'] as const)('is refused as %s when open', async (name) => {
    const paths = await files();
    await chmod(paths[name], 0o440);
    await expect(load(await temporaryFolder(), { files: paths })).rejects.toThrow(
      `${paths[name]} holds a secret, but not for its owner alone (mode 0440)`,
    );
    const allowed = { files: paths, allowOpenKeyFiles: true };
    await expect(load(await temporaryFolder(), allowed)).resolves.toBeDefined();
  });

  it('is judged behind a link, as mounts of secrets have them', async () => {
    const paths = await files();
    const link = join(await temporaryFolder(), 'tls.key');
    await symlink(paths.tlsKey, link);
    const linked = { files: { ...paths, tlsKey: link } };
    await expect(load(await temporaryFolder(), linked)).resolves.toBeDefined();
    await chmod(paths.tlsKey, 0o644);
    await expect(load(await temporaryFolder(), linked)).rejects.toThrow(`chmod 600 ${link}`);
  });

  it('is refused as secret key when open, without repeating it', async () => {
    const { signerKey } = await files();
    await chmod(signerKey, 0o604);
    const attempt = load(await temporaryFolder(), { secretKey: signerKey });
    await expect(attempt).rejects.toThrow(`${signerKey} holds a secret`);
  });
});
