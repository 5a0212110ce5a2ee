/** Fails on a package whose licence is not allowed in dependency-rules.json. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import parseExpression from 'spdx-expression-parse';
import { readJson, readLock } from './lock.mjs';
import { folder, report } from './step.mjs';

const rules = readJson(join(folder, 'dependency-rules.json'));
const allowedInProduction = new Set(Object.keys(rules.licences.production));
const allowed = new Set([...allowedInProduction, ...Object.keys(rules.licences.development)]);

const { packages } = readLock(folder);
report([...packages.flatMap(faultsOfPackage), ...rules.packages.flatMap(faultsOfRule)]);

function faultsOfPackage(each) {
  const licences = statedLicences(each);
  const rule = rules.packages.find((one) => appliesTo(one, each));
  const title = `${each.name} ${each.version} (${each.production ? 'production' : 'development'})`;
  if (rule) {
    const other = licences.filter((licence) => licence !== rule.licence);
    return other.map((licence) => `${title} states ${licence}, accepted is ${rule.licence}`);
  }
  if (licences.length === 0) return [`${title} states no licence`];
  const refused = licences.filter((licence) => !isAllowed(licence, each.production));
  return refused.map((licence) => `${title} has a licence that is not allowed: ${licence}`);
}

/** The lock file and the installed package may differ. A package for another platform is not installed. */
function statedLicences({ path, licence }) {
  const manifest = join(folder, path, 'package.json');
  const installed = existsSync(manifest) ? readJson(manifest).license : undefined;
  const stated = [licence, installed].filter((each) => each !== undefined);
  return [...new Set(stated.map((each) => (typeof each === 'string' ? each : each.type)))];
}

function isAllowed(licence, inProduction) {
  try {
    return satisfies(parseExpression(licence), inProduction ? allowedInProduction : allowed);
  } catch {
    // Free text, such as "SEE LICENSE IN ..." or "UNLICENSED".
    return false;
  }
}

function satisfies(expression, ids) {
  const { conjunction, left, right } = expression;
  if (conjunction === 'or') return satisfies(left, ids) || satisfies(right, ids);
  if (conjunction === 'and') return satisfies(left, ids) && satisfies(right, ids);
  const { license, plus, exception } = expression;
  return ids.has(`${license}${plus ? '+' : ''}${exception ? ` WITH ${exception}` : ''}`);
}

function faultsOfRule(rule) {
  const title = `dependency-rules.json: ${rule.name} ${rule.version}`;
  if (!rule.reason) return [`${title} is accepted without a reason`];
  if (packages.some((each) => appliesTo(rule, each))) return [];
  return [`${title} is not in the lock file, its line can go`];
}

function appliesTo(rule, { name, version }) {
  return rule.name === name && rule.version === version;
}
