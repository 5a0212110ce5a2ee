/** Applications of the whole company that the same people use. */
export interface Area {
  /** The role attribute of its services. */
  readonly role: string;
  readonly title: string;
  readonly services: readonly string[];
  readonly readers: readonly string[];
  readonly checks?: readonly string[];
  readonly port?: number;
}

const list = (text: string): readonly string[] => text.split(' ');

/** In the order in which they come into the network. */
export const AREAS: readonly Area[] = [
  {
    role: 'intranet',
    title: 'Intranet',
    services: list(
      'handbook staff-directory travel-booking expenses time-sheets learning canteen room-booking newsletter suggestions',
    ),
    readers: ['#staff'],
  },
  {
    role: 'collaboration',
    title: 'Collaboration',
    services: list('mail calendar chat video-calls file-exchange forms'),
    readers: ['#staff', '#contractor'],
  },
  {
    role: 'engineering',
    title: 'Engineering',
    services: list(
      'source-code build-farm artifacts issue-tracker cad-vault simulation firmware-signing test-lab design-reviews licence-server',
    ),
    readers: ['#engineering'],
  },
  {
    role: 'sales',
    title: 'Sales',
    services: list('crm quotes price-lists orders contracts partner-portal market-data campaigns'),
    readers: ['#sales'],
  },
  {
    role: 'finance',
    title: 'Finance',
    services: list(
      'general-ledger payables receivables payroll-runs treasury tax-archive budgets audit-trail cost-reports',
    ),
    readers: ['#finance'],
    checks: ['#managed'],
  },
  {
    role: 'operations',
    title: 'Network operations',
    services: list(
      'monitoring log-search backup-console hypervisors router-consoles secrets-vault dns-admin jump-host',
    ),
    readers: ['#it'],
    checks: ['#managed', '#second-factor'],
    port: 22,
  },
  {
    role: 'support',
    title: 'Support',
    services: list('tickets spare-parts field-schedule knowledge-base warranty remote-assistance'),
    readers: ['#support'],
  },
  {
    role: 'quality',
    title: 'Quality',
    services: list('calibration-records inspections nonconformities certificates lab-results'),
    readers: ['#quality'],
    checks: ['#current-system'],
  },
  {
    role: 'logistics',
    title: 'Logistics',
    services: list('warehouse shipping customs carrier-gateway inventory forecasts'),
    readers: ['#logistics'],
  },
  {
    role: 'human-resources',
    title: 'Human resources',
    services: list('personnel-files recruiting benefits org-chart appraisals onboarding'),
    readers: ['#human-resources'],
    checks: ['#managed'],
  },
  {
    role: 'data',
    title: 'Data',
    services: list('data-lake dashboards reports notebooks event-stream geo-data'),
    readers: ['#data', '#manager'],
    port: 8443,
  },
  {
    role: 'legal',
    title: 'Legal',
    services: list('contract-archive patents case-files compliance-desk'),
    readers: ['#legal'],
    checks: ['#managed'],
  },
];

/** Applications that also run for trials, for each of these purposes. */
export const TRIAL_SERVICES = list('crm orders tickets warehouse partner-portal data-lake');
export const TRIALS = [
  { purpose: 'test', readers: ['#engineering'] },
  { purpose: 'staging', readers: ['#engineering', '#quality'] },
] as const;
