import type { ReactNode } from 'react';

interface PanelProps {
  readonly title: string;
  /** A number or a link beside the title. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a page with a title. */
export function Panel({ title, aside, children }: PanelProps) {
  return (
    <section className="panel" aria-label={title}>
      <header>
        <h2 className="grow">{title}</h2>
        {aside}
      </header>
      <div className="body">{children}</div>
    </section>
  );
}
