#include "renderer/serving.h"

#include "renderer/host.h"
#include "renderer/record/framebuffer.h"
#include "renderer/state/clients.h"

namespace tgsi2spv::host {

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

Serving::Serving(Host& host, Client& client) : host_(host) {
    host_.client = &client;
    clear_stores(host_);
    make_current(host_, *client.current);
}

Serving::~Serving() {
    host_.client = &host_.clients.at(0);
}

}  // namespace tgsi2spv::host
