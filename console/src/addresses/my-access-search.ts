export const ACCESS_VIEWS = ['services', 'offers', 'requests', 'decisions'] as const;

export type AccessView = (typeof ACCESS_VIEWS)[number];

/** The settings in the address of the page; the default is absent. */
export interface MyAccessSearch {
  readonly view?: Exclude<AccessView, 'services'> | undefined;
}

export const myAccessSearch = (search: Readonly<Record<string, unknown>>): MyAccessSearch => ({
  view: ACCESS_VIEWS.find((view): view is Exclude<AccessView, 'services'> => {
    return view !== 'services' && view === search.view;
  }),
});
