import type { ReactNode } from 'react';

export type Fact = readonly [title: string, value: ReactNode];

/** Facts about one thing. */
export const Facts = ({ facts }: { facts: readonly Fact[] }) => (
  <dl className="attributes">
    {facts.map(([title, value]) => (
      <div key={title}>
        <dt>{title}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
