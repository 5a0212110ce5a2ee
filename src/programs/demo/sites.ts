/** A place where the company works. */
export interface Site {
  readonly name: string;
  /** The role attribute of everything that is there. */
  readonly role: string;
  readonly people: number;
  /** Whether machines are made there; the others are offices. */
  readonly isPlant: boolean;
  /** Whether the applications of the whole company run there. */
  readonly isHub: boolean;
}

const site = (
  name: string,
  people: number,
  kind: { readonly isPlant?: boolean; readonly isHub?: boolean } = {},
): Site => ({
  name,
  role: `site-${name.toLowerCase()}`,
  people,
  isPlant: kind.isPlant ?? false,
  isHub: kind.isHub ?? false,
});

/** In the order in which they join the network. */
export const SITES: readonly Site[] = [
  site('Gothenburg', 439, { isPlant: true, isHub: true }),
  site('Toronto', 210, { isHub: true }),
  site('Porto', 270, { isPlant: true }),
  site('Leeds', 190),
  site('Osaka', 210, { isPlant: true }),
  site('Nairobi', 80),
];

export const addressOf = (service: string): string => `${service}.quillmere.example`;

/** The routers of a site. The first one may be used by everybody at work, wherever they are. */
export const routersOf = ({ name, role, isHub }: Site) =>
  [1, 2].map((number) => ({
    name: `${name.toLowerCase()}-edge-${number}`,
    roleAttributes: [role, ...(number === 1 ? ['public'] : []), ...(isHub ? ['hub'] : [])],
    cost: number === 1 ? 0 : 10,
  }));

type Weights = readonly (readonly [department: string, weight: number])[];

const EVERYWHERE: Weights = [
  ['support', 9],
  ['finance', 6],
  ['it', 5],
  ['human-resources', 4],
  ['legal', 2],
  ['data', 4],
];

/** The departments, by their shares of the people of a site. */
export const departmentsOf = ({ isPlant }: Site): Weights =>
  isPlant
    ? [
        ...EVERYWHERE,
        ['production', 34],
        ['engineering', 18],
        ['quality', 9],
        ['logistics', 8],
        ['sales', 6],
      ]
    : [...EVERYWHERE, ['engineering', 24], ['sales', 26], ['logistics', 3]];
