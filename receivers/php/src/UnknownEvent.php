<?php

declare(strict_types=1);

namespace Waypost;

/** An event whose type is newer than this package, or whose fields differ. `raw` has its fields. */
final class UnknownEvent
{
    public readonly ?int $id;
    public readonly ?string $type;

    /** @param array<string, mixed> $raw */
    public function __construct(public readonly array $raw)
    {
        $this->id = is_int($raw['id'] ?? null) ? $raw['id'] : null;
        $this->type = is_string($raw['type'] ?? null) ? $raw['type'] : null;
    }
}
