import { findDirectory } from '../../directories/index.ts';
import { recommendationsOf } from './judge-report.ts';
import type { Report, ReportResponse } from './report.ts';

const nameOf = (type: string) => findDirectory(type)?.name ?? type;

export function reportResponse(report: Report): ReportResponse {
  const { id, status, results, pending, zip, phone, website } = report;
  const all = results.length + pending.length;
  const hasEnded = status !== 'RUNNING';
  return {
    id,
    status,
    // 100 only when the score is written.
    progress: hasEnded ? 100 : Math.min(99, Math.floor((100 * results.length) / Math.max(1, all))),
    score: report.score,
    business: {
      name: report.name,
      streetAndNo: report.streetAndNo,
      ...(zip !== null && { zip }),
      city: report.city,
      country: report.country,
      categoryId: report.categoryId,
      ...(phone !== null && { phone }),
      ...(website !== null && { website }),
    },
    directories: results.map(({ directoryType, status: found, listingUrl, fields, message }) => ({
      directoryType,
      directoryName: nameOf(directoryType),
      status: found,
      ...(listingUrl !== null && { listingUrl }),
      fields,
      ...(message !== null && { message }),
    })),
    pendingDirectories: pending,
    recommendations: hasEnded ? recommendationsOf(results, nameOf) : [],
    ...(report.error !== null && { message: report.error }),
    dateCreated: report.dateCreated.toISOString(),
    ...(report.dateFinished && { dateFinished: report.dateFinished.toISOString() }),
    expires: report.expiresAt.toISOString(),
  };
}
