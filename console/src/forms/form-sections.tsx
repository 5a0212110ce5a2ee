import type { ComponentType } from 'react';
import type { Caller } from '../graph/permissions.js';
import { isFinished, timesInWords, type Times } from '../parts/times-in-words.js';
import { texts } from '../texts.js';
import { rowsOf, type FormValues } from './form-values.js';
import { ownZone } from './zone-field.js';

interface NoteProps {
  /** Of the whole form. */
  readonly values: FormValues;
}

/** Members of an entity that stand together in its form, in this order. */
export interface FormSection {
  readonly title: string;
  readonly members: readonly string[];
  readonly isForAdministrators?: boolean;
  /** Tells what the values mean. */
  readonly Note?: ComponentType<NoteProps>;
  /** The members that have no meaning now. */
  readonly idle?: (values: FormValues) => readonly string[];
  /** Sets a member that follows from others after each change. */
  readonly complete?: (values: FormValues) => FormValues;
}

const words = texts.form.sections;

const hasWindows = ({ weeklyWindows }: FormValues): boolean => rowsOf(weeklyWindows).length > 0;

/** Windows need a zone, and a zone has no meaning without windows. */
const withTimeZone = (values: FormValues): FormValues => ({
  ...values,
  timeZone: hasWindows(values) ? (values.timeZone ?? ownZone()) : undefined,
});

const SECTIONS: Readonly<Record<string, readonly FormSection[]>> = {
  ExternalJwtSigner: [
    { title: words.conditions, members: ['conditions'] },
    {
      title: words.claimedAttributes,
      members: ['roleAttributeClaims', 'roleAttributePrefix', 'roleAttributeMinutes'],
    },
    {
      title: words.firstLogins,
      members: [
        'createsIdentities',
        'maxCreatedIdentities',
        'idleDaysBeforeDeletion',
        'newIdentitiesArePending',
      ],
      Note: FirstLoginsNote,
    },
    {
      title: words.adminClaims,
      members: ['adminClaims'],
      isForAdministrators: true,
      Note: AdminClaimsNote,
    },
  ],
  Identity: [
    { title: texts.times.title, members: ['validFrom', 'validUntil'], Note: IdentityTimesNote },
  ],
  ServicePolicy: [
    {
      title: texts.times.title,
      members: ['validFrom', 'validUntil', 'weeklyWindows', 'timeZone'],
      Note: PolicyTimesNote,
      idle: (values) => (hasWindows(values) ? [] : ['timeZone']),
      complete: withTimeZone,
    },
  ],
};

/** The sections of the form of a kind that a caller may fill in. */
export const sectionsOf = (type: string, { isAdmin }: Caller): readonly FormSection[] =>
  (SECTIONS[type] ?? []).filter(({ isForAdministrators }) => isAdmin || !isForAdministrators);

/** The members that only administrators may write. */
export const withheldMembers = (type: string, { isAdmin }: Caller): readonly string[] =>
  (SECTIONS[type] ?? []).flatMap(({ isForAdministrators, members }) =>
    isAdmin || !isForAdministrators ? [] : members,
  );

function PolicyTimesNote({ values }: NoteProps) {
  const times: Times = values;
  if (!(times.weeklyWindows ?? []).every(isFinished)) return <>{texts.times.unfinished}</>;
  const inWords = timesInWords(times);
  return <>{inWords === '' ? texts.times.always : texts.times.inForce(inWords)}</>;
}

function IdentityTimesNote({ values }: NoteProps) {
  const times = timesInWords(values);
  return <>{times === '' ? texts.times.alwaysCounts : texts.times.counts(times)}</>;
}

function FirstLoginsNote({ values: { createsIdentities, useExternalId } }: NoteProps) {
  const isRefused = createsIdentities === true && useExternalId !== true;
  return <>{isRefused ? words.needsExternalId : words.firstLoginsHelp}</>;
}

function AdminClaimsNote({ values: { adminClaims, trustedForManagement } }: NoteProps) {
  const isIdle = rowsOf(adminClaims).length > 0 && trustedForManagement !== true;
  return <>{isIdle ? words.needsTrust : words.adminClaimsHelp}</>;
}
