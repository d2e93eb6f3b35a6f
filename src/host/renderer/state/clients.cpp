#include "renderer/state/clients.h"

#include <memory>

#include "renderer/host.h"
#include "renderer/state/framebuffer.h"

namespace tgsi2spv::host {
namespace {

constexpr size_t kMaxClients = 1024;

/// Null: no such context, or context 0, which reaches all resources.
Client* find_client(Host& host, uint32_t context) {
    const auto at = host.clients.find(context);
    return at == host.clients.end() || context == 0 ? nullptr : &at->second;
}

}  // namespace

Client& add_client(Host& host, uint32_t context) {
    Client& client = host.clients[context];
    client.contexts[0] = std::make_unique<SubContext>(host.budget);
    client.current = client.contexts[0].get();
    return client;
}

bool reaches(const Client& client, uint32_t handle) {
    return client.reaches_all || client.attached.contains(handle);
}

void make_current(Host& host, SubContext& context) {
    if (&context == host.current) return;
    flush_clears(host);
    host.stream.end_scope();
    host.current = &context;
}

void leave(Host& host, SubContext& context, SubContext& next) {
    if (host.current == &context) make_current(host, next);
    if (host.recorded.bindings == &context) host.recorded = {};
}

Problem create_context(Host& host, uint32_t context) {
    if (context == 0) return Problem::HandleZero;
    if (host.clients.contains(context)) return {Problem::HandleInUse, context};
    if (host.clients.size() >= kMaxClients) return {Problem::Budget, host.clients.size(), kMaxClients};
    if (!host.budget.has_room(SubContext::kBytes)) return {Problem::Budget, host.budget.used(), host.budget.limit()};
    add_client(host, context);
    return Problem::None;
}

Problem destroy_context(Host& host, uint32_t context) {
    const Client* const client = find_client(host, context);
    if (client == nullptr) return {Problem::NoContext, context};
    for (const auto& [id, sub] : client->contexts) leave(host, *sub, *host.clients.at(0).current);
    host.clients.erase(context);
    // The next client may have the same address.
    host.emulation.owner = host.dummies.owner = nullptr;
    host.fetched = {};
    if (host.dummies.stores != nullptr) host.shader_ids = {.next = host.shader_ids.next};
    return Problem::None;
}

Problem attach(Host& host, uint32_t context, uint32_t handle) {
    Client* const client = find_client(host, context);
    if (client == nullptr) return {Problem::NoContext, context};
    if (!host.resources.contains(handle)) return {Problem::NoResource, handle};
    constexpr uint64_t kBytes = 64;
    if (!host.budget.has_room(kBytes)) return {Problem::Budget, host.budget.used(), host.budget.limit()};
    client->attached.try_emplace(handle, host.budget, kBytes);
    return Problem::None;
}

Problem detach(Host& host, uint32_t context, uint32_t handle) {
    Client* const client = find_client(host, context);
    if (client == nullptr) return {Problem::NoContext, context};
    if (client->attached.erase(handle) == 0) return {Problem::NoResource, handle};
    return Problem::None;
}

Serving::Serving(Host& host, Client& client) : host_(host) {
    host_.client = &client;
    clear_stores(host_);
    make_current(host_, *client.current);
}

Serving::~Serving() {
    host_.client = &host_.clients.at(0);
}

}  // namespace tgsi2spv::host
