import type { Module } from '../module.ts';
import { accountJobs } from './account-jobs.ts';
import { auditRoutes } from './audit/audit-routes.ts';
import { deprecatedUseRoutes } from './deprecated-use/deprecated-use.ts';
import { partnerRoutes } from './partners/partner-routes.ts';
import { taskRoutes } from './tasks/task-routes.ts';
import { sessionRoutes } from './users/session-routes.ts';
import { userRoutes } from './users/user-routes.ts';

export const accountsModule: Module = {
  routes: [partnerRoutes, auditRoutes, userRoutes, sessionRoutes, deprecatedUseRoutes, taskRoutes],
  jobs: accountJobs,
};

export { type Actor, actorOf, isSystem, systemActor } from './actor.ts';
export { AuditResponse } from './audit/audit-routes.ts';
export { createDeprecatedUseCounter } from './deprecated-use/deprecated-use.ts';
export { consumeHourlyQuota, deletePastQuotaHours } from './hourly-quota.ts';
export { readChildRecords } from './partners/child-records.ts';
export { Identifier, KeyResponse, Name, type Partner, PartnerChange, PartnerResponse } from './partners/partner.ts';
export {
  findKey,
  findPublicKey,
  findStoreKey,
  issueKey,
  lockPartner,
  partnersChannel,
  rotateKey,
  sealedKey,
} from './partners/partner-keys.ts';
export {
  createPartner,
  findPartner,
  findPartnerByIdentifier,
  hasUnrelatedPartners,
  listAllPartners,
  setPartnerStatus,
} from './partners/partner-store.ts';
export { cancelVisibleTask } from './tasks/task-routes.ts';
export { findSession } from './users/session-store.ts';
export { Email, type FieldGroup, fieldGroups, hashPassword, verifyPassword } from './users/user.ts';
export { findLoginCandidates, insertAdmin, listEmails, replacePassword, usersChannel } from './users/user-store.ts';
