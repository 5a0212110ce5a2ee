import { account } from './texts/account.js';
import { actions } from './texts/actions.js';
import { ask } from './texts/ask.js';
import { bulk } from './texts/bulk.js';
import { certificate } from './texts/certificate.js';
import { draft } from './texts/draft.js';
import { enrollment } from './texts/enrollment.js';
import { findings } from './texts/findings.js';
import { login } from './texts/login.js';
import { form } from './texts/form.js';
import { map } from './texts/map.js';
import { myAccess } from './texts/my-access.js';
import { overview } from './texts/overview.js';
import { reviews } from './texts/reviews.js';
import { rules } from './texts/rules.js';
import { times } from './texts/times.js';
import { tokenPreview } from './texts/token-preview.js';
import { traffic } from './texts/traffic.js';

const pairs = (count: number): string =>
  count === 1 ? '1 pair of an identity and a service' : `${count.toLocaleString()} pairs`;

/** All words of the console, in English. */
export const texts = {
  product: 'Overgraph',
  skip: 'Skip to the content',
  loading: 'Loading',
  close: 'Close',
  none: '–',
  yes: 'yes',
  no: 'no',
  failure: {
    unreachable: 'The controller can not be reached. The page tries again.',
    noPermission: 'You have no permission for this.',
    requestId: (id: string) => `Request ${id}`,
    retry: (seconds: number) => `Try again in ${seconds} s.`,
    crash: 'The page has a fault. Load it again; what was saved is safe.',
    code: 'This part of the page could not be loaded.',
    codeGone:
      'The controller answers, but does not have it. It may have been upgraded: then load the page again. Your login and your draft stay.',
    again: 'Try again',
    loadAgain: 'Load the page again',
  },
  login,
  shell: {
    navigation: 'Pages',
    menu: 'Menu',
    logout: 'Log out',
    help: 'Help and keyboard',
    search: 'Search everything',
    scheme: 'Colours',
    schemes: { auto: 'System', light: 'Light', dark: 'Dark' },
    pageTitle: (page: string) => `${page} – Overgraph`,
    notFound: 'There is no such page.',
    home: 'Go to the overview',
  },
  pages: {
    overview: 'Overview',
    map: 'Map',
    changes: 'Changes',
    draft: 'Draft',
    account: 'Own account',
    myAccess: 'My access',
    ask: 'Ask',
    findings: 'Findings',
    traffic: 'Routers and traffic',
  },
  groups: {
    access: 'Access',
    network: 'Network',
    logins: 'Logins and keys',
    others: 'Others',
  },
  /** What changes would do to access. */
  effect: (gained: number, lost: number) => {
    if (gained === 0 && lost === 0) return 'No access changes.';
    const give = gained === 0 ? '' : `This gives access to ${pairs(gained)}.`;
    const take = lost === 0 ? '' : `This takes access away from ${pairs(lost)}.`;
    return `${give} ${take}`.trim();
  },
  select: {
    placeholder: 'Type a part of the name',
    nothing: 'Nothing has this name.',
    gone: (id: string) => `${id} (it does not exist)`,
    clear: (label: string) => `Clear: ${label}`,
  },
  ask,
  findings,
  table: {
    empty: 'Nothing here.',
    total: (count: number) => (count === 1 ? '1 entry' : `${count.toLocaleString()} entries`),
  },
  list: {
    filter: 'Filter',
    apply: 'Filter',
    all: 'Show all',
    columns: 'Columns',
    firstColumns: 'Back to the first columns',
    create: 'New',
  },
  bulk,
  entity: {
    attributes: 'Attributes',
    history: 'History',
    gone: 'It does not exist, or no longer.',
    edit: 'Edit',
    remove: 'Delete',
    addAttribute: 'Add a role attribute',
    attributeAdded: (attribute: string) => `“${attribute}” is added.`,
    attributeRemoved: (attribute: string) => `“${attribute}” is removed.`,
  },
  actions,
  certificate,
  enrollment,
  form: {
    create: (kind: string) => `New ${kind.toLowerCase()}`,
    edit: (name: string) => `Edit ${name}`,
    save: 'Save',
    cancel: 'Cancel',
    draft: 'Add to the draft',
    deleteTitle: (name: string) => `Delete ${name}?`,
    remove: 'Delete now',
    ...form,
  },
  draft,
  reviews,
  rules,
  times,
  tokenPreview,
  account,
  myAccess,
  changes: {
    one: 'Change',
    at: 'When',
    actor: 'Who',
    controller: 'the controller',
    operation: 'What',
    type: 'Kind',
    entity: 'Entity',
    reason: 'Reason',
    address: 'From',
    requestId: 'Request',
    field: 'Member',
    before: 'Before',
    after: 'After',
    undo: 'Undo as a draft',
    undoneInPart: 'The draft has what undoes this change. Not all comes back exactly:',
    toDraft: 'Go to the draft',
  },
  map,
  search: {
    title: (text: string) => (text.trim() === '' ? 'Search' : `Search for “${text}”`),
    help: 'Type a part of a name, an id, a role attribute, a tag or an external id.',
    name: 'Name',
    type: 'Kind',
    match: 'Found by',
  },
  overview,
  traffic,
  help: {
    title: 'Keyboard',
    lead: 'Press the keys one after the other. They do nothing while you type into a field.',
    general: 'Everywhere',
    goTo: 'Go to',
    thisHelp: 'Show this help',
    search: 'Search',
    scheme: 'Change between light and dark',
    escape: 'Close a dialog, leave a field',
  },
} as const;
