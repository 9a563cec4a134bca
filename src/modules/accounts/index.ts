import type { Module } from '../module.ts';
import { auditRoutes } from './audit/audit-routes.ts';
import { deprecatedUseJobs } from './deprecated-use/deprecated-use-jobs.ts';
import { deprecatedUseRoutes } from './deprecated-use/deprecated-use-routes.ts';
import { partnerRoutes } from './partners/partner-routes.ts';
import { taskRoutes } from './tasks/task-routes.ts';
import { sessionRoutes } from './users/session-routes.ts';
import { userJobs } from './users/user-jobs.ts';
import { userRoutes } from './users/user-routes.ts';

export const accountsModule: Module = {
  routes: [partnerRoutes, auditRoutes, userRoutes, sessionRoutes, deprecatedUseRoutes, taskRoutes],
  jobs: [...userJobs, ...deprecatedUseJobs],
};

export { managesAccount, requireAccountManager } from './account-managers.ts';
export { type Actor, actorOf, isSystem, systemActor } from './actor.ts';
export { AuditResponse } from './audit/audit.ts';
export { createDeprecatedUseCounter } from './deprecated-use/deprecated-use-counter.ts';
export { consumeHourlyQuota, deletePastQuotaHours } from './hourly-quota.ts';
export { readChildRecords } from './partners/child-records.ts';
export { createPartner } from './partners/create-partner.ts';
export { Identifier, Name, type Partner, PartnerChange, PartnerResponse } from './partners/partner.ts';
export { KeyResponse } from './partners/partner-key.ts';
export {
  findKey,
  findPublicKey,
  findStoreKey,
  issueKey,
  partnersChannel,
  rotateKey,
  sealedKey,
} from './partners/partner-keys.ts';
export {
  findPartner,
  findPartnerByIdentifier,
  hasUnrelatedPartners,
  listAllPartners,
  setPartnerStatus,
} from './partners/partner-store.ts';
export { cancelVisibleTask } from './tasks/task-routes.ts';
export { hashPassword, verifyPassword } from './users/password.ts';
export { findSession } from './users/session-store.ts';
export { findLoginCandidates, insertAdmin, replacePassword, usersChannel } from './users/user-store.ts';
