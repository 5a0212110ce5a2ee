import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { LoginSigners } from '../emitted/operations.js';
import { ask } from '../graph/ask.js';
import { failureOf } from '../graph/failure.js';
import { loadCode } from '../graph/load-code.js';
import { useSession } from '../graph/session.js';
import { texts } from '../texts.js';
import { logIn } from './log-in.js';
import { takeLoginAnswer, type LoginAnswer } from './pending-login.js';
import { hasLoginPage, type Signer } from './signer.js';

export interface OtherLoginsProps {
  readonly isBusy: boolean;
  readonly attempt: (work: () => Promise<void>) => void;
}

/** Logins without a password: by a certificate of the browser, and at external signers. */
export function OtherLogins({ isBusy, attempt }: OtherLoginsProps) {
  const signers = useSigners();
  const isOverPage = useSession().stage === 'ended';
  useEffect(() => {
    const answer = takeLoginAnswer();
    if (!answer) return;
    attempt(() => logInBySigner(answer));
    // An answer is there when the page opens, and only then.
  }, []);
  return (
    <>
      <Button
        variant="default"
        disabled={isBusy}
        onClick={() => {
          attempt(logInByCertificate);
        }}
      >
        {texts.login.certificate}
      </Button>
      {signers.map((signer) => (
        <Button
          key={signer.id}
          className="other-login"
          variant="default"
          disabled={isBusy}
          onClick={() => {
            attempt(() => leaveFor(signer));
          }}
        >
          {texts.login.signers.at(signer.name)}
        </Button>
      ))}
      {isOverPage && signers.length > 0 ? (
        <div className="dim">{texts.login.signers.leaves}</div>
      ) : null}
    </>
  );
}

function useSigners(): readonly Signer[] {
  const [signers, setSigners] = useState<readonly Signer[]>([]);
  useEffect(() => {
    const abort = new AbortController();
    ask(LoginSigners, {}, { signal: abort.signal })
      .then(({ authenticationSigners }) => {
        setSigners((authenticationSigners?.nodes ?? []).filter(hasLoginPage));
      })
      // The form logs in without them, and says why when that fails, too.
      .catch(() => undefined);
    return () => {
      abort.abort();
    };
  }, []);
  return signers;
}

async function leaveFor(signer: Signer): Promise<void> {
  const { leaveForLogin } = await loadCode(() => import('./external-login.js'));
  const { pathname, search, hash } = location;
  await leaveForLogin(signer, `${pathname}${search}${hash}`);
}

async function logInBySigner(answer: LoginAnswer): Promise<void> {
  const { tokenFor } = await loadCode(() => import('./external-login.js'));
  const bearer = await tokenFor(answer);
  const name = answer.pending?.signer.name ?? '';
  await explaining('UNAUTHORIZED', texts.login.signers.unknown(name), () =>
    logIn('ext-jwt', {}, { bearer }),
  );
}

/** The usual reason is that the browser has sent none. */
async function logInByCertificate(): Promise<void> {
  await explaining('INVALID_AUTH', texts.login.noCertificate, () =>
    logIn('cert', {}, { withCertificate: true }),
  );
}

/** The controller answers all refused logins alike; the page knows what was tried. */
async function explaining(code: string, message: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (fault) {
    const failure = failureOf(fault);
    throw failure.code === code ? failure.saying(message) : failure;
  }
}
