/** Small drawings beside words; they carry no meaning of their own. */
const PATHS = {
  overview: 'M3 3h7v7H3zM14 3h7v4h-7zM14 11h7v10h-7zM3 14h7v7H3z',
  ask: 'M4 5h16v11H12l-5 4v-4H4zM10 9a2 2 0 1 1 2.7 1.8c-.5.2-.7.6-.7 1.2M12 13.6v.1',
  myAccess: 'M8 15a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 11h9M18 11v4',
  findings: 'M12 4l9 16H3zM12 10v5M12 17.5v.1',
  map: 'M5 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM5 20a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM19 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM7 6.8l10 4.4M7 17.2l10-4.4',
  traffic: 'M4 7h12M13 4l3 3-3 3M20 17H8M11 14l-3 3 3 3',
  changes: 'M12 7v5l3 2M12 3a9 9 0 1 1-8.5 6M3 4v5h5',
  draft: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM20 20l-4-4',
  help: 'M9 9a3 3 0 1 1 4 2.8c-.7.3-1 .9-1 1.7v.5M12 17.5v.1',
  logout: 'M14 4h5v16h-5M10 8l-4 4 4 4M6 12h9',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M19 5l-1.4 1.4M6.4 17.6L5 19',
  menu: 'M4 7h16M4 12h16M4 17h16',
  check: 'M5 13l4 4L19 7',
  minus: 'M6 12h12',
  plus: 'M6 12h12M12 6v12',
  fit: 'M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5',
  save: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  back: 'M15 5l-7 7 7 7',
  forward: 'M9 5l7 7-7 7',
  close: 'M6 6l12 12M18 6L6 18',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      viewBox="0 0 24 24"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth={1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
