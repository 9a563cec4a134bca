import Type, { type Static } from 'typebox';
import { Conditions } from '../../../database/conditions.ts';
import { Id } from '../../../http/ids.ts';
import { type Period, periodQuery } from '../../../http/period.ts';

export interface AuditRecord {
  id: number;
  happenedAt: Date;
  actor: string;
  action: string;
  subject: string;
  subjectId: number | null;
  details: Record<string, unknown>;
}

export const AuditResponse = Type.Object({
  id: Type.Integer(),
  happenedAt: Type.String(),
  actor: Type.String({ description: "A user's e-mail address, PRIVATE_TOKEN or SYSTEM" }),
  action: Type.String(),
  subject: Type.String(),
  subjectId: Type.Optional(Type.Integer()),
  details: Type.Record(Type.String(), Type.Unknown()),
});

export const auditResponse = (record: AuditRecord): Static<typeof AuditResponse> => ({
  id: record.id,
  happenedAt: record.happenedAt.toISOString(),
  actor: record.actor,
  action: record.action,
  subject: record.subject,
  ...(record.subjectId !== null && { subjectId: record.subjectId }),
  details: record.details,
});

export const auditFilter = {
  ...periodQuery,
  subject: Type.Optional(Type.String({ maxLength: 100, description: 'Type of the changed record, such as LOCATION' })),
  subjectId: Type.Optional(Id),
  actor: Type.Optional(Type.String({ maxLength: 320, description: 'An e-mail address, PRIVATE_TOKEN or SYSTEM' })),
};

interface AuditFilter extends Period {
  partnerId: number;
  subject?: string;
  subjectId?: number;
  actor?: string;
}

export function auditConditions({ partnerId, since, until, subject, subjectId, actor }: AuditFilter): Conditions {
  const conditions = new Conditions(partnerId, since, until);
  conditions.add('partner_id = $1').add('happened_at between $2 and $3');
  if (subject !== undefined) conditions.add(`subject = ${conditions.value(subject.toUpperCase())}`);
  if (subjectId !== undefined) conditions.add(`subject_id = ${conditions.value(subjectId)}`);
  if (actor !== undefined) conditions.add(`actor = ${conditions.value(actor)}`);
  return conditions;
}
