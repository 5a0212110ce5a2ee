import { useEffect } from 'react';
import { texts } from '../texts.js';

interface PageHeadingProps {
  readonly text: string;
  readonly className?: string;
}

/** The heading of a page, which also names the page in the browser. */
export function PageHeading({ text, className }: PageHeadingProps) {
  useEffect(() => {
    document.title = texts.shell.pageTitle(text);
    return () => {
      document.title = texts.product;
    };
  }, [text]);
  return <h1 className={className}>{text}</h1>;
}
