import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { currentConnection, followConnection } from './connection.js';
import { currentSession, followSession } from './session.js';

const newClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        // The requests tell whether the controller can be reached; the browser knows of its network alone.
        networkMode: 'always',
        retry: false,
        refetchOnWindowFocus: false,
        // Nothing asks for them again: a page that is opened again shows the network as it is.
        gcTime: 0,
        // Pages count an answer also when it says the same as the one before.
        structuralSharing: false,
      },
    },
  });

/** Keeps the answers for the components inside, each for the one that has asked. */
export function AnswersProvider({ children }: { children: ReactNode }) {
  const [client] = useState(newClient);
  useEffect(() => {
    // Answers of before a login, or of before the controller was back, are asked for again.
    const askAgain = (): void => void client.invalidateQueries();
    const ends = [
      onGrowth(followConnection, () => currentConnection().returns, askAgain),
      onGrowth(followSession, () => currentSession().logins, askAgain),
      // Answers without a session would take the place of those that the page shows.
      followSession(() => {
        if (currentSession().stage !== 'open') void client.cancelQueries();
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [client]);
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}

function onGrowth(
  follow: (listener: () => void) => () => void,
  count: () => number,
  grown: () => void,
): () => void {
  let last = count();
  return follow(() => {
    if (count() === last) return;
    last = count();
    grown();
  });
}
