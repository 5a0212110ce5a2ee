import { creation, deletion, idOf, theService, update, type Change } from './demo-change.js';
import type { AuthPolicies } from './growth.js';
import { depotDevices } from './machines.js';
import { rolesOf, type Person } from './people.js';
import { bindPolicy, dialPolicy } from './policies.js';
import { serviceWithConfigs } from './demo-services.js';
import type { Story } from './story.js';

/** The parts of the company that the mistakes need. */
export interface Scene {
  readonly policies: AuthPolicies;
  readonly people: readonly Person[];
  /** The authority of the factory, which nobody has verified. */
  readonly authorityId: string;
}

/** Gives the first person of a kind; the same one in every run. */
function personWho({ people }: Scene, is: (person: Person) => boolean): Person {
  const person = people.find(is);
  if (!person) throw new RangeError('the company has no such person');
  return person;
}

const machineOf = ({ policies }: Scene, name: string, input: object): Change =>
  creation('identity', name, {
    type: 'Default',
    isAdmin: false,
    authPolicyId: policies.machines,
    ...input,
  });

/** Mistakes that real networks have, each with the good reason that once led to it. */
export function makeMistakes(story: Story, scene: Scene): void {
  story.begin('Mistakes to find');
  misplacedRights(story, scene);
  unusedServices(story);
  piledUpPolicies(story, scene);
  misspeltAttributes(story, scene);
  forgottenMachines(story, scene);
}

/** Rights that nobody took back. */
function misplacedRights(story: Story, scene: Scene): void {
  const seller = personWho(
    scene,
    ({ department, isContractor }) => department === 'sales' && !isContractor,
  );
  story.tellAsAdmin(`${seller.name} needs everything for the fair, until Friday`, [
    update('identity', seller.id, { isAdmin: true }),
  ]);
  const helper = personWho(scene, ({ isContractor }) => isContractor);
  story.tell(`${helper.name} helps with the payroll at the end of the year`, [
    dialPolicy('Payroll help', {
      identities: [`@${helper.id}`],
      services: [theService('payroll-runs')],
    }),
  ]);
  story.tell('open house of the engineers: everybody may look, this week', [
    dialPolicy('Open house', { identities: ['#staff'], services: ['#engineering'] }),
  ]);
}

/** Services without anyone at one of their ends. */
function unusedServices(story: Story): void {
  story.tell('a page about the state of all systems', [
    ...serviceWithConfigs({ name: 'status-page', roleAttributes: ['company', 'status'] }),
    dialPolicy('Status page for everybody', { identities: ['#all'], services: ['#status'] }),
    bindPolicy('Servers: status page', {
      identities: ['#hosts-intranet'],
      services: [theService('status-page')],
    }),
  ]);
  story.tell('fax for the customs papers', [
    ...serviceWithConfigs({ name: 'fax-gateway', roleAttributes: ['company'], port: 5060 }),
    bindPolicy('Servers: fax', {
      identities: ['#hosts-logistics'],
      services: [theService('fax-gateway')],
    }),
    dialPolicy('Fax', { identities: ['#logistics'], services: [theService('fax-gateway')] }),
  ]);
  story.tell('a trial of a translation service, its server follows', [
    ...serviceWithConfigs({ name: 'translation-desk', roleAttributes: ['company'] }),
    dialPolicy('Translations', {
      identities: ['#sales', '#legal'],
      services: [theService('translation-desk')],
    }),
  ]);
  story.tell('customs take no faxes any more', [
    deletion('servicePolicy', idOf('servicePolicy', 'Fax')),
  ]);
}

/** Policies that nobody needs. */
function piledUpPolicies(story: Story, scene: Scene): void {
  const analyst = personWho(
    scene,
    ({ department, isContractor }) => department === 'data' && !isContractor,
  );
  story.tell('the engineers asked for the build farm', [
    dialPolicy('Build farm', {
      identities: ['#engineering'],
      services: [theService('build-farm')],
    }),
  ]);
  story.tell('the engineers asked for the build farm again', [
    dialPolicy('Engineers build', {
      identities: ['#engineering'],
      services: [theService('build-farm')],
    }),
  ]);
  story.tell('Porto is audited', [
    dialPolicy('Support in Porto', {
      identities: ['#support', '#site-porto'],
      services: ['#support'],
      isAllOf: true,
    }),
  ]);
  story.tell(`${analyst.name} could not open two pages`, [
    dialPolicy(`Pages of ${analyst.name}`, {
      identities: [`@${analyst.id}`],
      services: [theService('handbook'), theService('dashboards')],
    }),
  ]);
  story.tell('the interns of the summer read the handbook', [
    machineOf(scene, 'Intern 1', { roleAttributes: ['intern'] }),
    machineOf(scene, 'Intern 2', { roleAttributes: ['intern'] }),
    dialPolicy('Interns', { identities: ['#intern'], services: [theService('handbook')] }),
  ]);
  story.tell('the interns have left', [
    deletion('identity', idOf('identity', 'Intern 1')),
    deletion('identity', idOf('identity', 'Intern 2')),
  ]);
}

function misspeltAttributes(story: Story, scene: Scene): void {
  const contractors = scene.people.filter(({ isContractor }) => isContractor).slice(-3);
  story.tell(
    'contracts of three contractors are prolonged',
    contractors.map((person) =>
      update('identity', person.id, {
        roleAttributes: rolesOf(person).map((role) =>
          role === 'contractor' ? 'contracter' : role,
        ),
      }),
    ),
  );
  const pilot = personWho(scene, ({ department }) => department === 'quality');
  story.tell(`${pilot.name} tries the new client`, [
    update('identity', pilot.id, { roleAttributes: [...rolesOf(pilot), 'pilot-2023'] }),
  ]);
}

function forgottenMachines(story: Story, scene: Scene): void {
  story.tell('gauges for the depot in Turin; its router is ordered', [
    ...depotDevices(scene.policies.machines),
    dialPolicy('Depots', { identities: ['#depot'], services: [theService('event-stream')] }),
  ]);
  story.tellAsAdmin('a gauge with a certificate of the factory', [
    machineOf(scene, 'prototype-gauge', {
      roleAttributes: ['device', 'device-gauge', 'site-porto'],
      enrollment: { ottca: scene.authorityId },
    }),
  ]);
}
